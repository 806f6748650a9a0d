public import CallStacks
public import Ingest
import PostgreSQL

extension LaneJournal {
    /// Returns all readers of the lane except the worker, and the exporters that only have dead
    /// letters, sorted by name.
    public func readers() async throws(JournalError) -> [ReaderStatus] {
        let letters = try await database.deadLetterCounts()
        let stored = try await asJournal {
            try await database.read(
                """
                SELECT \(Self.backlogColumns), r.configured
                FROM reader r JOIN lane l ON l.id = r.lane WHERE r.lane = $1 AND r.name <> $2
                """, [.value(lane.rawValue, .int2), .value(JournalReaders.worker, .text)]
            ).map { row in
                let name = try row.value(0, .text)
                return ReaderStatus(
                    name: name, backlog: try Self.backlog(row),
                    deadLetterCount: letters.first { $0.exporter == name }?.letterCount ?? 0,
                    wasConfigured: try row.value(4, .bool))
            }
        }
        return SharedDatabase.readers(stored, withDeadLetters: letters)
    }

    /// Renames, removes and adds readers at startup, in one transaction.
    public func reconcile(_ reconciliation: ReaderReconciliation) async throws(JournalError) {
        try await asJournal {
            var statements = try reconciliation.renames.flatMap { rename in
                try renaming(rename.old.name, to: rename.new)
            }
            statements += try reconciliation.removals.map(removal)
            if reconciliation.exporters.isEmpty {
                statements.append(try addition(of: JournalReaders.unsent))
            } else {
                statements += try reconciliation.additions.map(addition)
                statements.append(try removal(of: JournalReaders.unsent))
                statements.append(try marking(reconciliation.exporters))
            }
            defer { slowestReader.forget() }
            try await fenced { transaction in _ = try await transaction.execute(statements) }
        }
    }

    /// Gives the cursor of ``JournalReaders/unsent`` to exporters that are new to the lane, as
    /// ``reconcile(_:)`` does for the node that appends to it.
    public func inheritUnsent(by exporters: [String]) async throws(JournalError) {
        guard !exporters.isEmpty else { return }
        try await asJournal {
            let statements = try exporters.map(addition) + [removal(of: JournalReaders.unsent)]
            defer { slowestReader.forget() }
            try await fenced { transaction in _ = try await transaction.execute(statements) }
        }
    }

    private func renaming(_ old: String, to new: String) throws -> [Statement] {
        [
            try Statement(
                "UPDATE reader SET name = $3 WHERE lane = $1 AND name = $2",
                [.value(lane.rawValue, .int2), .value(old, .text), .value(new, .text)]),
            try Statement(
                "UPDATE dead_letter SET exporter = $2 WHERE exporter = $1",
                [.value(old, .text), .value(new, .text)]),
        ]
    }

    private func removal(of name: String) throws -> Statement {
        try Statement(
            "DELETE FROM reader WHERE lane = $1 AND name = $2",
            [.value(lane.rawValue, .int2), .value(name, .text)])
    }

    /// A new reader starts with the entries that were stored while there was no exporter, or else
    /// after the last entry.
    private func addition(of name: String) throws -> Statement {
        try Statement(
            """
            INSERT INTO reader (lane, name, place, passed)
            SELECT l.id, $2, coalesce(u.place, l.tail), coalesce(u.passed, l.total)
            FROM lane l LEFT JOIN reader u ON u.lane = l.id AND u.name = $3 WHERE l.id = $1
            ON CONFLICT DO NOTHING
            """,
            [
                .value(lane.rawValue, .int2), .value(name, .text),
                .value(JournalReaders.unsent, .text),
            ])
    }

    private func marking(_ names: [String]) throws -> Statement {
        try Statement(
            """
            UPDATE reader SET configured = NOT configured
            WHERE lane = $1 AND configured <> (name = ANY ($2))
            """, [.value(lane.rawValue, .int2), .value(names, .array(of: .text))])
    }

    /// Drops the oldest entries that wait for ``JournalReaders/unsent`` beyond `bytes`.
    ///
    /// - Returns: The dropped entries.
    public func trimUnsent(keeping bytes: Int64) async throws(JournalError) -> Backlog {
        try await asJournal {
            defer { slowestReader.forget() }
            return try await fenced { transaction in
                let rows = try await transaction.execute(try unsent())
                guard let row = rows.first else { return Backlog() }
                let (position, passed) = (try row.value(0, .int8), try row.value(1, .int8))
                let (tail, total) = (try row.value(2, .int8), try row.value(3, .int8))
                guard passed < total - bytes else { return Backlog() }
                let target = try await firstEntry(
                    after: position, through: tail, withTotal: total - bytes, transaction)
                return try await passUnsent(
                    through: target, from: (position, passed), transaction)
            }
        }
    }

    /// Drops the oldest entries that wait for ``JournalReaders/unsent`` and arrived before `oldest`.
    ///
    /// - Returns: The dropped entries, at most `count`.
    public func dropUnsent(
        before oldest: UnixTime, count: Int
    ) async throws(JournalError) -> Backlog {
        try await asJournal {
            defer { slowestReader.forget() }
            return try await fenced { transaction in
                let rows = try await transaction.execute(
                    try unsent(before: oldest, count: count))
                guard let row = rows.first else { return Backlog() }
                let (position, passed) = (try row.value(0, .int8), try row.value(1, .int8))
                let target = (number: try row.value(2, .int8), total: try row.value(3, .int8))
                return try await passUnsent(
                    through: target, from: (position, passed), transaction)
            }
        }
    }

    /// - Parameters:
    ///   - target: The number and the total of the last entry to drop.
    ///   - cursor: Those of the entry at the cursor.
    private func passUnsent(
        through target: (number: Int64, total: Int64), from cursor: (number: Int64, total: Int64),
        _ transaction: Transaction
    ) async throws -> Backlog {
        _ = try await transaction.execute(
            try advancement(of: JournalReaders.unsent, to: target.number))
        return Backlog(
            bytes: target.total - cursor.total, count: target.number - cursor.number,
            reader: JournalReaders.unsent)
    }

    /// Finds the cursor and the last of the entries after it that arrived before `oldest`.
    private func unsent(before oldest: UnixTime, count: Int) throws -> Statement {
        try Statement(
            """
            SELECT r.place, r.passed, e.number, e.total
            FROM reader r CROSS JOIN LATERAL (
                SELECT number, total, arrival FROM entry
                WHERE number > r.place AND number <= r.place + $3
            ) e
            WHERE r.lane = $1 AND r.name = $2 AND e.arrival < $4
                AND e.number <= (SELECT tail FROM lane WHERE id = $1)
            ORDER BY e.number DESC LIMIT 1
            """,
            [
                .value(lane.rawValue, .int2), .value(JournalReaders.unsent, .text),
                .value(Int64(count), .int8), .value(oldest.rawValue, .int8),
            ])
    }

    private func unsent() throws -> Statement {
        try Statement(
            """
            SELECT r.place, r.passed, l.tail, l.total
            FROM lane l JOIN reader r ON r.lane = l.id WHERE l.id = $1 AND r.name = $2
            """, [.value(lane.rawValue, .int2), .value(JournalReaders.unsent, .text)])
    }

    /// Returns the first of some entries whose `total` is at least a number, or else the last one.
    ///
    /// A binary search reads a few rows, and a query for the first one could read all of them.
    func firstEntry(
        after position: Int64, through tail: Int64, withTotal least: Int64,
        _ transaction: Transaction
    ) async throws -> (number: Int64, total: Int64) {
        var before = position
        var found = (number: tail, total: try await total(at: tail, transaction))
        while found.number - before > 1 {
            let middle = before + (found.number - before) / 2
            let total = try await total(at: middle, transaction)
            if total >= least { found = (middle, total) } else { before = middle }
        }
        return found
    }

    private func total(at number: Int64, _ transaction: Transaction) async throws -> Int64 {
        let rows = try await transaction.execute(
            try Statement(
                "SELECT total FROM entry WHERE number = $1", [.value(number, .int8)]))
        guard let row = rows.first else { throw JournalError.damage("entry \(number)") }
        return try row.value(0, .int8)
    }
}
