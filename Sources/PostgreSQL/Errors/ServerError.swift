/// An error that the server reported.
public struct ServerError: Hashable, Sendable {
    /// The five characters of the error's code, such as `23505`.
    public let sqlState: String
    /// `ERROR`, or `FATAL` and `PANIC` if the server closed the connection.
    public let severity: String
    public let message: String
    /// More about the error. It can contain values of rows, so it is not part of the problem's
    /// text.
    public let detail: String?
    public let hint: String?
    /// The table that the error refers to, or `nil` if there is none.
    public let table: String?
    /// The violated constraint, or `nil` if the error has another cause.
    public let constraint: String?

    /// Whether the transaction failed only because of concurrent transactions, and can be retried.
    public var isTransient: Bool {
        [SQLState.serializationFailure, SQLState.deadlock, SQLState.lockNotAvailable]
            .contains(sqlState)
    }

    /// Whether the server closed the connection with the error.
    var endsConnection: Bool { severity == "FATAL" || severity == "PANIC" }

    /// Whether the server itself does not know whether the transaction was committed.
    var leavesOutcomeUnknown: Bool {
        sqlState == SQLState.completionUnknown || sqlState == SQLState.resolutionUnknown
    }
}

/// Error codes that are treated specially.
enum SQLState {
    static let serializationFailure = "40001"
    static let deadlock = "40P01"
    /// A lock could not be acquired within `lock_timeout`.
    static let lockNotAvailable = "55P03"
    static let completionUnknown = "40003"
    static let resolutionUnknown = "08007"
    static let queryCancelled = "57014"
    static let readOnly = "25006"
}
