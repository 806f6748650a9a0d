import CallStacks
import Decompression
import Ingest
import PostgreSQL

/// Stores the diagnostics of a run, in a transaction of the lane's owner.
///
/// Image numbers and day partitions are written earlier. The transaction shares the lock of symbol
/// changes, so either a change sees the diagnostics of the run, or the commit sees the change.
struct RunStorage {
    let transaction: Transaction
    let lane: LaneNumber
    /// The images that the diagnostics want.
    let waits: ImageWaits
    /// The numbers of these images, in their order.
    let numbers: [Int64]

    /// Waits for symbol changes in progress.
    ///
    /// - Throws: `JournalError` with the reason `conflict` unless these are the current revisions.
    ///   Revisions of removed diagnostics are accepted, because no reader receives them again. Or
    ///   ``OutdatedNumbers`` if the row of an image was removed since its number was looked up.
    func begin(expecting revisions: [SentRevision]) async throws {
        let results = try await transaction.execute([
            try AdvisoryLock.symbolChanges.sharedStatement,
            try Self.lookup(
                revisions.map(\.address), columns: "entry, position, revision, digest",
                end: "ORDER BY entry, position FOR UPDATE"),
            try Statement(
                "SELECT count(*) FROM missing_image WHERE id = ANY ($1)",
                [.value(numbers, .array(of: .int8))]),
        ])
        guard try results[2].first?.value(0, .int8) == Int64(Set(numbers).count) else {
            throw OutdatedNumbers()
        }
        var current: [RecordAddress: (Int, RecordDigest?)] = [:]
        for row in results[1] {
            let address = RecordAddress(
                entry: try row.value(0, .int8), position: Int(try row.value(1, .int4)))
            current[address] = (
                Int(try row.value(2, .int4)), try row.optional(3, .bytea).flatMap(RecordDigest.init)
            )
        }
        for revision in revisions {
            guard let (number, digest) = current[revision.address] else { continue }
            guard number == revision.number, digest == revision.digest else {
                throw JournalError.conflict
            }
        }
    }

    /// Selects the rows of diagnostics at some addresses.
    static func lookup(
        _ addresses: [RecordAddress], columns: String = StoredDiagnostic.columns, end: String = ""
    ) throws -> Statement {
        try Statement(
            lookupText(columns: columns, end: end),
            [
                .value(addresses.map(\.entry), .array(of: .int8)),
                .value(addresses.map { Int32(clamping: $0.position) }, .array(of: .int4)),
            ], limit: .large)
    }

    static func lookupText(columns: String, end: String) -> String {
        """
        SELECT \(columns) FROM diagnostic WHERE entry = ANY ($1) AND (entry, position) IN (
            SELECT * FROM unnest($1::int8[], $2::int4[])) \(end)
        """
    }

    /// Inserts new diagnostics and updates revised ones. Revisions of removed diagnostics are
    /// dropped.
    func store(
        _ diagnostics: [DiagnosticRecord], revised: [DiagnosticRecord], symbolsSeen: Int64
    ) async throws {
        var tallies = DiagnosticTallies()
        var changes = WaitChanges()
        var waits = waits
        let new = try await insert(diagnostics)
        for item in new {
            tallies.add(item.diagnostic)
            changes.add(item)
            waits.add(item.diagnostic, numbers)
        }
        let last = try await stored(revised)
        let updated = updates(revised, last)
        for item in updated {
            guard let last = last[item.diagnostic.address] else { continue }
            tallies.remove(last.diagnostic)
            tallies.add(item.diagnostic)
            changes.remove(last)
            changes.add(item, except: last.wanted)
            waits.add(item.diagnostic, numbers, except: last.wanted)
        }
        var statements = try [suspension()] + tallies.statements(in: lane)
        statements += try changes.statements(in: lane)
        if !updated.isEmpty { statements.append(try DiagnosticColumns(updated).update()) }
        if let systems = try MissingSystemChanges.statement(waits.images, numbers, in: lane) {
            statements.append(systems)
        }
        statements += try stacks(new + updated) + holds(new + updated)
        _ = try await transaction.execute(statements)
        try await awaken(changedAfter: symbolsSeen)
    }

    private func insert(_ diagnostics: [DiagnosticRecord]) async throws -> [DiagnosticColumns.Item]
    {
        guard !diagnostics.isEmpty else { return [] }
        var items: [RecordAddress: DiagnosticColumns.Item] = [:]
        for diagnostic in diagnostics where items[diagnostic.address] == nil {
            items[diagnostic.address] = DiagnosticColumns.Item(
                diagnostic: diagnostic, day: DayPartitions.day(of: diagnostic.arrival),
                wanted: waits.list(of: diagnostic, numbers))
        }
        let sorted = items.values.sorted { $0.diagnostic.address < $1.diagnostic.address }
        let rows = try await transaction.execute(try DiagnosticColumns(sorted).insertion())
        return try rows.compactMap { row in
            items[
                RecordAddress(
                    entry: try row.value(0, .int8), position: Int(try row.value(1, .int4)))]
        }
    }

    private func stored(
        _ revised: [DiagnosticRecord]
    ) async throws -> [RecordAddress: StoredDiagnostic] {
        guard !revised.isEmpty else { return [:] }
        let rows = try await transaction.execute(
            try Self.lookup(
                revised.map(\.address), end: "ORDER BY entry, position FOR UPDATE"))
        var stored: [RecordAddress: StoredDiagnostic] = [:]
        for row in rows {
            let found = try StoredDiagnostic(row)
            stored[found.diagnostic.address] = found
        }
        return stored
    }

    /// Returns the rows of revised diagnostics, with the arrival as stored. If a diagnostic has
    /// several revisions, the last one is used.
    private func updates(
        _ revised: [DiagnosticRecord], _ stored: [RecordAddress: StoredDiagnostic]
    ) -> [DiagnosticColumns.Item] {
        var items: [RecordAddress: DiagnosticColumns.Item] = [:]
        for diagnostic in revised {
            guard let last = stored[diagnostic.address] else { continue }
            var next = diagnostic
            next.arrival = last.diagnostic.arrival
            items[diagnostic.address] = DiagnosticColumns.Item(
                diagnostic: next, day: last.day, wanted: waits.list(of: diagnostic, numbers))
        }
        return items.values.sorted { $0.diagnostic.address < $1.diagnostic.address }
    }

    /// Suspends the waits for system images whose symbols were stored for all diagnostics of the run,
    /// if no other diagnostic waits, and resumes them for the other images.
    private func suspension() throws -> Statement {
        try Statement(
            """
            UPDATE missing_image m SET stored = new.stored
            FROM unnest($1::int8[], $2::bool[]) AS new (id, stored)
            WHERE m.id = new.id AND m.id = ANY ($1) AND m.stored <> new.stored AND (
                NOT new.stored OR (
                    SELECT coalesce(sum(waiting), 0) FROM missing_tally t WHERE t.image = m.id
                ) <= 0)
            """,
            [
                .value(numbers, .array(of: .int8)),
                .value(waits.images.map(\.wanted.isStored), .array(of: .bool)),
            ])
    }

    /// Stores the stacks of diagnostics that have any. Those of a revision get a new id.
    private func stacks(_ items: [DiagnosticColumns.Item]) throws -> [Statement] {
        let stacks = try items.compactMap { item in
            try item.diagnostic.sampledStacks.map { (item, try PackedBody($0)) }
        }
        guard !stacks.isEmpty else { return [] }
        return [
            try Statement(
                """
                INSERT INTO sampled_stack (day, entry, position, size, form, stack)
                SELECT * FROM unnest($1::int4[], $2::int8[], $3::int4[], $4::int4[], $5::int2[],
                    $6::bytea[])
                ON CONFLICT (entry, position, day) DO UPDATE SET id = excluded.id,
                    size = excluded.size, form = excluded.form, stack = excluded.stack
                """,
                [
                    .value(stacks.map(\.0.day), .array(of: .int4)),
                    .value(stacks.map(\.0.diagnostic.address.entry), .array(of: .int8)),
                    .value(
                        stacks.map { Int32(clamping: $0.0.diagnostic.address.position) },
                        .array(of: .int4)),
                    .value(stacks.map { Int32($0.1.size) }, .array(of: .int4)),
                    .value(stacks.map { Int16($0.1.form.rawValue) }, .array(of: .int2)),
                    .value(stacks.map(\.1.bytes), .array(of: .bytea)),
                ])
        ]
    }

    /// Held diagnostics are sent when their hold ends.
    private func holds(_ items: [DiagnosticColumns.Item]) throws -> [Statement] {
        let held = items.filter { $0.diagnostic.state == .held }
        guard !held.isEmpty else { return [] }
        return [
            try Statement(
                """
                INSERT INTO resend (entry, position, day, held)
                SELECT * FROM unnest($1::int8[], $2::int4[], $3::int4[], $4::int8[])
                ON CONFLICT (entry, position) DO UPDATE SET held = excluded.held
                """,
                [
                    .value(held.map(\.diagnostic.address.entry), .array(of: .int8)),
                    .value(
                        held.map { Int32(clamping: $0.diagnostic.address.position) },
                        .array(of: .int4)),
                    .value(held.map(\.day), .array(of: .int4)),
                    .value(
                        held.map { $0.diagnostic.heldUntil?.rawValue ?? 0 }, .array(of: .int8)),
                ])
        ]
    }

    /// Applies the changes of the run's images that its lookups did not reflect.
    private func awaken(changedAfter number: Int64) async throws {
        guard !numbers.isEmpty else { return }
        let changes = try await transaction.rows(
            """
            SELECT m.id, CASE WHEN ends.first - 1 > $2 THEN 0::int2 ELSE min(c.effect) END
            FROM (SELECT min(seq) AS first, max(seq) AS last FROM symbol_change) ends,
                missing_image m LEFT JOIN symbol_change c
                ON c.image = m.image AND c.seq > $2 AND (c.app = '' OR m.app IN ('', c.app))
            WHERE m.id = ANY ($1) AND ends.last > $2
                AND (c.seq IS NOT NULL OR ends.first - 1 > $2)
            GROUP BY m.id, ends.first
            """, [.value(numbers, .array(of: .int8)), .value(number, .int8)])
        guard !changes.isEmpty else { return }
        var effects: [Int64: SymbolChangeEffect] = [:]
        for row in changes {
            effects[try row.value(0, .int8)] = .init(rawValue: try row.value(1, .int2))
        }
        let rows = try await transaction.rows(
            """
            SELECT id, image, app, stored FROM missing_image WHERE id = ANY ($1)
            ORDER BY id FOR UPDATE
            """, [.value(effects.keys.sorted(), .array(of: .int8))])
        try await SymbolChangeTable(transaction).awaken(
            try rows.map { row in
                let image = try MissingImageRow(row)
                return (image, effects[image.id] ?? .resends)
            })
    }
}

/// The number of an image that the run's diagnostics wait for has changed.
struct OutdatedNumbers: Error {}
