import PostgreSQL

extension Transaction {
    /// Executes a statement, and returns its rows and their number.
    @discardableResult
    func rows(
        _ text: String, _ parameters: [Parameter] = [], limit: ResultLimit = .large
    ) async throws -> QueryResult {
        try await execute(try Statement(text, parameters, limit: limit))
    }
}

extension ResultLimit {
    /// For lists that are limited by the statement itself or by the number of stored rows.
    static let large = Self(rows: 5_000_000, bytes: 1 << 30)
}
