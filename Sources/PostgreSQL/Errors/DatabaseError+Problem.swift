public import Problems

extension DatabaseError: DescribedError {
    /// `database: cannot connect: db1:5432: Connection refused: check that the server is running`.
    ///
    /// The text contains neither the password nor values of rows.
    public var problem: Problem {
        if case .invalidSettings(let problem) = self { return problem }
        return Problem("database", detail: detail, suggestion: suggestion)
    }

    private var detail: String {
        switch self {
        case .libraryUnavailable(let reason): "libpq cannot be loaded: \(reason)"
        case .invalidSettings(let problem): problem.detail
        case .cannotConnect(let failures): "cannot connect: \(Self.list(failures))"
        case .connectionLost(let reason): "connection lost: \(reason)"
        case .outcomeUnknown(let reason):
            "connection lost during a commit, which may have succeeded: \(reason)"
        case .server(let error): Self.detail(error)
        case .poolExhausted(let limit): "no connection was free within \(limit)"
        case .timedOut(let limit): "statement took longer than \(limit)"
        case .cancelled: "request was cancelled"
        case .closed: "connection is closed"
        case .rolledBack: "server rolled the transaction back"
        case .invalidStatement(let detail): detail
        case .resultTooLarge(let limit):
            "result exceeds \(limit.rows) rows or \(limit.bytes) bytes, the limit"
        case .unexpectedType(let column, let expected, let found):
            "column '\(column)' has type \(found), not \(expected)"
        case .invalidValue(let column, let detail): "column '\(column)' \(detail)"
        }
    }

    private var suggestion: String? {
        switch self {
        case .libraryUnavailable: "install libpq 14 or later (package libpq5)"
        case .cannotConnect(let failures): Self.suggestion(failures)
        case .poolExhausted: "try again later, or raise database.connections"
        case .timedOut: "try again later, or look for locks and load on the server"
        case .connectionLost, .outcomeUnknown: "see the server's log"
        case .unexpectedType, .invalidValue:
            "check that the tables were made by this version"
        case .server(let error): error.hint
        case .invalidSettings, .cancelled, .closed, .rolledBack, .invalidStatement,
            .resultTooLarge:
            nil
        }
    }

    private static func detail(_ error: ServerError) -> String {
        let constraint = error.constraint.map { ", constraint \($0)" } ?? ""
        return "\(error.message) (SQLSTATE \(error.sqlState)\(constraint))"
    }

    private static func list(_ failures: [HostFailure]) -> String {
        failures.map { failure in
            failure.host.map { "\($0): \(failure.reason)" } ?? failure.reason
        }.joined(separator: "; ")
    }

    /// Whether a connection limit of the server, the role or the database is reached.
    private static func isOfConnectionLimit(_ reason: String) -> Bool {
        ["too many clients", "too many connections", "connection slots are reserved"]
            .contains { reason.contains($0) }
    }

    private static func suggestion(_ failures: [HostFailure]) -> String {
        let reasons = failures.map(\.reason)
        if reasons.contains(where: { $0.contains("authentication failed") }) {
            return "check the user and database.password_file"
        }
        if reasons.contains(where: { $0.contains("session is read-only") }) {
            return "add the primary to database.url"
        }
        if reasons.contains(where: isOfConnectionLimit) {
            return "raise max_connections of the server or lower database.connections"
        }
        return "check that the server is running and database.url is right"
    }
}
