public import Problems

/// The reason why an operation of the database failed.
public enum DatabaseError: Error, Hashable, Sendable {
    /// libpq is missing or too old, with the dynamic linker's reason.
    case libraryUnavailable(String)
    /// The address or the password file cannot be used.
    case invalidSettings(Problem)
    /// No host accepted a connection, with the reason of each one that was tried.
    case cannotConnect([HostFailure])
    /// The connection was lost before a commit was sent: the transaction has no effect.
    case connectionLost(String)
    /// The connection was lost during a commit: the transaction may or may not have an effect.
    ///
    /// The caller finds out by reading what the transaction would have changed.
    case outcomeUnknown(String)
    /// The server refused a statement, and the transaction has no effect.
    case server(ServerError)
    /// No connection was free within the time limit.
    case poolExhausted(after: Duration)
    /// The statements took longer than their time limit, and the transaction has no effect.
    case timedOut(after: Duration)
    /// The task was cancelled.
    case cancelled
    /// The pool was closed, or the transaction has ended.
    case closed
    /// The server rolled the transaction back instead of committing it.
    case rolledBack
    /// A statement that cannot be sent, such as one with a NUL character in a text.
    case invalidStatement(String)
    /// A result has more rows or bytes than its limit.
    case resultTooLarge(ResultLimit)
    /// A column has another type than the caller reads.
    case unexpectedType(column: String, expected: String, found: UInt32)
    /// A value that is null, malformed or missing.
    case invalidValue(column: String, detail: String)

    /// Whether the transaction failed because of concurrent ones only, and can be repeated.
    public var isTransient: Bool {
        if case .server(let error) = self { error.isTransient } else { false }
    }
}
