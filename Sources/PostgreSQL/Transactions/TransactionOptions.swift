/// The properties of a transaction.
public struct TransactionOptions: Hashable, Sendable {
    public enum Isolation: String, Hashable, Sendable {
        case readCommitted = "READ COMMITTED"
        case repeatableRead = "REPEATABLE READ"
    }

    public var connectionClass: ConnectionClass
    public var isolation: Isolation
    /// Whether the server rejects statements that write.
    public var isReadOnly: Bool
    /// The time limit of statements that are sent together. The server also ends a transaction
    /// whose client sends nothing for that long. At most a day.
    public let timeLimit: Duration
    /// The maximum number of retries after a serialization failure, a deadlock or a lock timeout.
    public var retries: Int

    public init(
        connectionClass: ConnectionClass = .general, isolation: Isolation = .readCommitted,
        isReadOnly: Bool = false, timeLimit: Duration = .seconds(30), retries: Int = 3
    ) {
        self.connectionClass = connectionClass
        self.isolation = isolation
        self.isReadOnly = isReadOnly
        self.timeLimit = min(timeLimit, .seconds(86_400))
        self.retries = retries
    }
}

extension TransactionOptions {
    /// The statements that begin the transaction.
    ///
    /// The limits apply to the transaction only, so they work through a transaction pooler. The
    /// second one frees the locks of a client that was paused. Transactions that write do not
    /// request write access explicitly, so that operators can stop all writes with
    /// `default_transaction_read_only`.
    func beginning() throws(DatabaseError) -> [Statement] {
        let access = isReadOnly ? " READ ONLY" : ""
        let limit = String(max(Int64(timeLimit / .milliseconds(1)), 1))
        return [
            try Statement("BEGIN ISOLATION LEVEL \(isolation.rawValue)\(access)"),
            try Statement(
                """
                SELECT set_config('statement_timeout', $1, true),
                    set_config('idle_in_transaction_session_timeout', $1, true)
                """, [.value(limit, .text)]),
        ]
    }
}
