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

extension DiagnosticDetails {
    /// The exception and the signal, as in the headers of Apple's reports:
    /// `EXC_BAD_ACCESS (SIGSEGV)`.
    public var exceptionWithSignal: String? {
        withSignal(exceptionType.map { MachException(rawValue: $0).name } ?? exceptionName)
    }

    /// Returns the name of an exception, followed by the signal, or the only one of the two.
    public func withSignal(_ exception: String?) -> String? {
        let signal = signal.map { DarwinSignal(rawValue: $0).name }
        guard let exception, let signal, signal != exception else { return exception ?? signal }
        return "\(exception) (\(signal))"
    }
}
