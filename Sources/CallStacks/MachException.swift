/// A Mach exception by its number, with the name and the words that Apple's headers give it.
public struct MachException: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// `nil` for a name that the headers do not have.
    public init?(name: String) {
        guard let row = Self.rows.firstIndex(where: { $0.name == name }) else { return nil }
        self.init(rawValue: UInt64(row) + 1)
    }

    /// `EXC_BAD_ACCESS`, or the number in words where there is no name.
    public var name: String { row?.name ?? unknown }

    /// `Could not access memory`, or the number in words where there is no name.
    public var meaning: String { row?.meaning ?? unknown }

    private var unknown: String { "Unknown exception type: \(rawValue)" }

    private var row: (name: String, meaning: String)? {
        guard rawValue >= 1, rawValue <= UInt64(Self.rows.count) else { return nil }
        return Self.rows[Int(rawValue) - 1]
    }

    /// From exception 1 on; `mach/exception_types.h`.
    private static let rows: [(name: String, meaning: String)] = [
        ("EXC_BAD_ACCESS", "Could not access memory"),
        ("EXC_BAD_INSTRUCTION", "Instruction failed"),
        ("EXC_ARITHMETIC", "Arithmetic exception"),
        ("EXC_EMULATION", "Emulation instruction"),
        ("EXC_SOFTWARE", "Software generated exception"),
        ("EXC_BREAKPOINT", "Trace, breakpoint, etc."),
        ("EXC_SYSCALL", "System calls."),
        ("EXC_MACH_SYSCALL", "Mach system calls."),
        ("EXC_RPC_ALERT", "RPC alert"),
        ("EXC_CRASH", "Abnormal process exit"),
        ("EXC_RESOURCE", "Hit resource consumption limit"),
        ("EXC_GUARD", "Violated guarded resource protections"),
        ("EXC_CORPSE_NOTIFY", "Abnormal process exited to corpse state"),
    ]
}
