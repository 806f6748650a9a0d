public import Problems

/// The reason why a database operation failed.
public enum DatabaseError: Error, Hashable, Sendable {
    /// libpq is missing or too old, with the dynamic linker's reason.
    case libraryUnavailable(String)
    /// The address or the password file cannot be used.
    case invalidSettings(Problem)
    /// No host accepted a connection, with the reason of each one that was tried.
    case cannotConnect([HostFailure])
    /// The connection was lost before a commit was sent: the transaction has no effect.
    case connectionLost(String)
    /// The connection was lost during a commit, or given up after its time limit: the transaction may
    /// or may not have an effect.
    ///
    /// To find out, the caller reads what the transaction would have changed.
    case outcomeUnknown(String)
    /// The server reported an error for a statement, and the transaction has no effect.
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
    /// A statement that cannot be sent, for instance because a text contains a NUL character.
    case invalidStatement(String)
    /// A result has more rows or bytes than its limit.
    case resultTooLarge(ResultLimit)
    /// A column has a different type than the caller expects.
    case unexpectedType(column: String, expected: String, found: UInt32)
    /// A value that is null, malformed or missing.
    case invalidValue(column: String, detail: String)

    /// Whether the transaction failed only because of concurrent transactions, and can be retried.
    public var isTransient: Bool {
        if case .server(let error) = self { error.isTransient } else { false }
    }
}
