import GRDB

extension Database {
    /// Runs a statement, which is prepared once per connection. Use it only for SQL of a few forms.
    func run(_ sql: String, _ arguments: StatementArguments = []) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// Returns the first row of a statement, which is prepared once per connection.
    func first(_ sql: String, _ arguments: StatementArguments = []) throws -> Row? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    /// Returns all rows of a statement, which is prepared once per connection.
    func all(_ sql: String, _ arguments: StatementArguments = []) throws -> [Row] {
        try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }

    /// Returns what is read from each row of a statement, which is prepared once per connection.
    /// Rows are not copied, which takes longer than finding them.
    func all<Value>(
        _ sql: String, _ arguments: StatementArguments, read: (Row) throws -> Value
    ) throws -> [Value] {
        let rows = try Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
        var values: [Value] = []
        while let row = try rows.next() { values.append(try read(row)) }
        return values
    }
}
