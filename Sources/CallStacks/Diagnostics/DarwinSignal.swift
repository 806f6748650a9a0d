/// A signal, with its number on Darwin. Linux numbers several signals differently, so the constants
/// of the build machine must not be used.
public struct DarwinSignal: SystemConstant {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let unknown = "Unknown signal"

    /// The signals from 1 on (`sys/signal.h`).
    public static let rows: [(name: String, meaning: String)] = [
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
