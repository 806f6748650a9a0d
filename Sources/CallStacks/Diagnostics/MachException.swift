/// A Mach exception, with the name and description in Apple's headers.
public struct MachException: SystemConstant {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let unknown = "Unknown exception type"

    /// The exceptions from 1 on (`mach/exception_types.h`).
    public static let rows: [(name: String, meaning: String)] = [
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
