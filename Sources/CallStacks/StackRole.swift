/// What a stack of a report is.
public enum StackRole: String, Hashable, Sendable {
    case thread
    /// Where the exception was thrown that nobody caught. All of it are return addresses.
    case lastException = "last_exception"
    /// What a library recorded for whoever reads the report. All of it are return addresses.
    case applicationBacktrace = "application_backtrace"
}
