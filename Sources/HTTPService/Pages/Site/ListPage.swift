import Pages

/// One page of a list. It is read from a position on, with one more row to determine whether the
/// list continues.
struct ListPage<Row> {
    /// The position at which a page is read.
    enum Start<Position> {
        case top
        /// The rows that follow a position.
        case before(Position)
        /// The rows that precede a position, up to it.
        case after(Position)

        /// The position that the rows follow, if any.
        var before: Position? {
            if case .before(let position) = self { position } else { nil }
        }

        /// The position that the rows precede, if any.
        var after: Position? {
            if case .after(let position) = self { position } else { nil }
        }
    }

    private(set) var rows: [Row]
    private(set) var hasNewer = false
    private(set) var hasOlder = false

    /// - Parameters:
    ///   - read: Returns rows from a position on, at most as many as the second argument.
    init<Position>(
        from start: Start<Position>, length: Int,
        read: (Start<Position>, Int) async throws -> [Row]
    ) async throws {
        rows = try await read(start, length + 1)
        switch start {
        case .after where rows.count <= length:
            // The list begins on this page, so show a full first page.
            rows = try await read(.top, length + 1)
            fallthrough
        case .top:
            hasOlder = rows.count > length
            rows = Array(rows.prefix(length))
        case .before:
            hasNewer = true
            hasOlder = rows.count > length
            rows = Array(rows.prefix(length))
        case .after:
            (hasNewer, hasOlder) = (true, true)
            rows = Array(rows.suffix(length))
        }
    }

    /// Returns the links to the pages before and after it.
    func neighbours(_ position: (Row) -> String) -> PageNeighbours {
        PageNeighbours(
            newer: hasNewer ? rows.first.map(position) : nil,
            older: hasOlder ? rows.last.map(position) : nil)
    }
}
