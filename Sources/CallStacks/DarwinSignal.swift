/// A signal by the number that Darwin gives it. Linux numbers several of them otherwise, so the
/// constants of the machine that this runs on must not be used.
public struct DarwinSignal: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// `nil` for a name that the headers do not have.
    public init?(name: String) {
        guard let row = Self.rows.firstIndex(where: { $0.name == name }) else { return nil }
        self.init(rawValue: UInt64(row) + 1)
    }

    /// `SIGSEGV`, or the number in words where there is no name.
    public var name: String { row?.name ?? unknown }

    /// `segmentation violation`, or the number in words where there is no name.
    public var meaning: String { row?.meaning ?? unknown }

    private var unknown: String { "Unknown signal: \(rawValue)" }

    private var row: (name: String, meaning: String)? {
        guard rawValue >= 1, rawValue <= UInt64(Self.rows.count) else { return nil }
        return Self.rows[Int(rawValue) - 1]
    }

    /// From signal 1 on; `sys/signal.h`.
    private static let rows: [(name: String, meaning: String)] = [
        ("SIGHUP", "hangup"),
        ("SIGINT", "interrupt"),
        ("SIGQUIT", "quit"),
        ("SIGILL", "illegal instruction (not reset when caught)"),
        ("SIGTRAP", "trace trap (not reset when caught)"),
        ("SIGABRT", "abort()"),
        ("SIGEMT", "EMT instruction"),
        ("SIGFPE", "floating point exception"),
        ("SIGKILL", "kill (cannot be caught or ignored)"),
        ("SIGBUS", "bus error"),
        ("SIGSEGV", "segmentation violation"),
        ("SIGSYS", "bad argument to system call"),
        ("SIGPIPE", "write on a pipe with no one to read it"),
        ("SIGALRM", "alarm clock"),
        ("SIGTERM", "software termination signal from kill"),
        ("SIGURG", "urgent condition on IO channel"),
        ("SIGSTOP", "sendable stop signal not from tty"),
        ("SIGTSTP", "stop signal from tty"),
        ("SIGCONT", "continue a stopped process"),
        ("SIGCHLD", "to parent on child stop or exit"),
        ("SIGTTIN", "to readers pgrp upon background tty read"),
        ("SIGTTOU", "like TTIN for output if (tp->t_local&LTOSTOP)"),
        ("SIGIO", "input/output possible signal"),
        ("SIGXCPU", "exceeded CPU time limit"),
        ("SIGXFSZ", "exceeded file size limit"),
        ("SIGVTALRM", "virtual time alarm"),
        ("SIGPROF", "profiling time alarm"),
        ("SIGWINCH", "window size changes"),
        ("SIGINFO", "information request"),
        ("SIGUSR1", "user defined signal 1"),
        ("SIGUSR2", "user defined signal 2"),
    ]
}
