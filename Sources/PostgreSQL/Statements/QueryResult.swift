/// The rows of a statement's result, and the number of rows that the statement changed.
public struct QueryResult: Sendable {
    /// A value's position in the buffer.
    struct Cell: Sendable {
        let start: Int
        /// The length in bytes, or `nil` for null.
        let length: Int?
    }

    private(set) var columns: [ResultColumn] = []
    private(set) var cells: [Cell] = []
    private(set) var bytes: [UInt8] = []
    /// The number of rows that the statement inserted, changed, removed or selected.
    public private(set) var affectedRows = 0
    /// The number of rows in the result.
    public private(set) var count = 0

    /// A result without rows.
    public init() {}

    /// Adds a row.
    ///
    /// - Returns: Whether it is within the limit. If not, it is not added.
    mutating func append(_ row: borrowing ServerResult, within limit: ResultLimit) -> Bool {
        guard count < limit.rows, bytes.count <= limit.bytes else { return false }
        if count == 0 { columns = row.columns }
        for column in columns.indices {
            let start = bytes.count
            let length = row.appendValue(column: Int32(column), to: &bytes)
            cells.append(Cell(start: start, length: length))
        }
        guard bytes.count <= limit.bytes else { return false }
        count += 1
        return true
    }

    /// Records the result that follows the last row.
    mutating func finish(_ end: borrowing ServerResult) { affectedRows = end.affectedRows }
}

extension QueryResult: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public subscript(row: Int) -> Row {
        precondition(indices.contains(row), "row: \(row) is not one of \(count)")
        return Row(result: self, number: row)
    }
}
