import GRDB

/// Finds the entries that nobody needs any more.
///
/// Diagnostics keep entries alive for weeks, so a search from the first entry would walk over all of
/// those each time. Therefore it goes on from where it ended before, and an entry behind that place is
/// listed when its last diagnostic goes.
struct Sweep {
    private let db: Database

    /// How many kept entries one call walks over at most.
    private static let stepLimit = 100_000

    init(_ db: Database) { self.db = db }

    /// - Returns: How many entries were removed. Fewer than `count` means that no more are known
    ///   for now.
    func removePassed(count: Int) throws -> Int {
        let listed = try removeListed(count: count)
        return try listed + sweep(count: count - listed)
    }

    private func removeListed(count: Int) throws -> Int {
        let numbers = try db.all("SELECT number FROM unreferenced LIMIT ?", [count])
        for row in numbers {
            try db.run("DELETE FROM journal WHERE number = ?", [row[0] as Int64])
            try db.run("DELETE FROM unreferenced WHERE number = ?", [row[0] as Int64])
        }
        return numbers.count
    }

    /// Removes what lies between kept entries, from the last place on.
    private func sweep(count: Int) throws -> Int {
        let place: Int64 = try db.first("SELECT swept FROM tally")?[0] ?? 0
        let end = try JournalRows(db).slowestPlace()?.number ?? place
        guard count > 0, place < end else { return 0 }
        let kept = try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT number FROM kept WHERE number > ? AND number <= ? ORDER BY number LIMIT ?
                    """), arguments: [place, end, Self.stepLimit])
        var gaps = Gaps(place: place, room: count)
        for number in kept { gaps.add(upTo: number) }
        if kept.count < Self.stepLimit { gaps.add(upTo: end + 1) }
        let swept = min(gaps.place, end)
        for gap in gaps.found {
            try db.run(
                "DELETE FROM journal WHERE number BETWEEN ? AND ?",
                [gap.lowerBound, gap.upperBound])
        }
        try db.run("UPDATE tally SET swept = ?", [swept])
        return count - gaps.room
    }

    /// Runs of numbers between kept ones.
    private struct Gaps {
        /// Up to and with this number everything is decided.
        var place: Int64
        /// How many numbers may be added.
        var room: Int
        var found: [ClosedRange<Int64>] = []

        init(place: Int64, room: Int) {
            self.place = place
            self.room = room
        }

        /// Adds what lies between the place and a kept number, and moves behind that one; or only
        /// as far as there is room.
        mutating func add(upTo kept: Int64) {
            guard room > 0 else { return }
            let last = min(kept - 1, place + Int64(room))
            if last > place { found.append(place + 1...last) }
            room -= Int(last - place)
            place = last == kept - 1 ? kept : last
        }
    }
}
