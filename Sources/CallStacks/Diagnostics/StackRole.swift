/// The role of a stack in a report.
public enum StackRole: String, Hashable, Sendable {
    case thread
    /// The place where an uncaught exception was thrown. All its frames are return addresses.
    case lastException = "last_exception"
    /// A stack that a library recorded for the report. All its frames are return addresses.
    case applicationBacktrace = "application_backtrace"
    /// The place where memory was allocated. All its frames are return addresses.
    case allocation
}
