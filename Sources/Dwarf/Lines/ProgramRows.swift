/// A row emitted by a line program, with the file's number in the program's table.
struct ProgramRow: Hashable {
    var address: UInt64
    var file: UInt32
    var line: UInt32
    /// The column, or 0 for none and for columns that do not fit.
    var column: UInt32

    static let none = Self(address: 0, file: 0, line: 0, column: 0)

    /// Whether both rows have the same file, line and column.
    func hasSameSource(as other: ProgramRow) -> Bool {
        file == other.file && line == other.line && column == other.column
    }
}

/// The rows emitted by a line program.
///
/// The last rows are buffered outside the list, because appending to an array checks for unique
/// ownership each time, which takes longer than storing the row.
struct ProgramRows {
    private(set) var list: [ProgramRow]
    private var waiting = InlineArray<64, ProgramRow>(repeating: .none)
    private var waitingCount = 0

    /// - Parameter storage: An empty list for the rows.
    init(storage: consuming [ProgramRow]) { list = storage }

    var count: Int { list.count &+ waitingCount }

    @inline(__always)
    mutating func append(_ row: ProgramRow) {
        if waitingCount == waiting.count { finish() }
        waiting[waitingCount] = row
        waitingCount &+= 1
    }

    /// Removes all rows but the first `count`.
    mutating func cut(to count: Int) {
        if count >= list.count {
            waitingCount = min(count - list.count, waitingCount)
        } else {
            waitingCount = 0
            list.removeSubrange(count...)
        }
    }

    /// Moves all rows into ``list``.
    @inline(never)
    mutating func finish() {
        let waiting = waiting.span.extracting(first: waitingCount)
        unsafe waiting.withUnsafeBufferPointer { unsafe list.append(contentsOf: $0) }
        waitingCount = 0
    }

    mutating func reserve(_ count: Int) { list.reserveCapacity(count) }

    /// Empties the list and returns its storage.
    mutating func takeStorage() -> [ProgramRow] {
        var taken: [ProgramRow] = []
        swap(&taken, &list)
        waitingCount = 0
        return taken
    }
}
