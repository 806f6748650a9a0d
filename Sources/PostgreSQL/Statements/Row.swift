/// A row of a result.
public struct Row: Sendable {
    let result: QueryResult
    let number: Int

    /// Returns the value of a column, counted from 0.
    ///
    /// - Throws: ``DatabaseError/unexpectedType(column:expected:found:)`` if the column has another
    ///   type, or ``DatabaseError/invalidValue(column:detail:)`` if the value is null, malformed or
    ///   missing.
    public func value<Value>(
        _ column: Int, _ type: ColumnType<Value>
    ) throws(DatabaseError) -> Value {
        guard let value = try optional(column, type) else {
            throw .invalidValue(column: name(of: column), detail: "is null")
        }
        return value
    }

    /// Returns the value of a column, counted from 0, or `nil` if it is null.
    ///
    /// - Throws: ``DatabaseError/unexpectedType(column:expected:found:)`` if the column has another
    ///   type, or ``DatabaseError/invalidValue(column:detail:)`` if the value is malformed or
    ///   missing.
    public func optional<Value>(
        _ column: Int, _ type: ColumnType<Value>
    ) throws(DatabaseError) -> Value? {
        guard result.columns.indices.contains(column) else {
            throw .invalidValue(column: name(of: column), detail: "is missing")
        }
        try check(result.columns[column], type)
        let cell = result.cells[number * result.columns.count + column]
        guard let length = cell.length else { return nil }
        do {
            return try type.value(of: result.bytes[cell.start..<cell.start + length])
        } catch {
            throw .invalidValue(column: name(of: column), detail: error.detail)
        }
    }

    private func check<Value>(
        _ column: ResultColumn, _ type: ColumnType<Value>
    ) throws(DatabaseError) {
        guard column.type == type.oid || type.aliases.contains(column.type) else {
            throw .unexpectedType(column: column.name, expected: type.name, found: column.type)
        }
        guard column.isBinary else {
            throw .invalidValue(column: column.name, detail: "is not in the binary format")
        }
    }

    private func name(of column: Int) -> String {
        result.columns.indices.contains(column) ? result.columns[column].name : "\(column + 1)"
    }
}
