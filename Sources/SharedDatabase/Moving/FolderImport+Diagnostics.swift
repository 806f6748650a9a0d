package import CallStacks
package import Ingest
import PostgreSQL
import SymbolIntake

extension FolderImport {
    /// Returns the address of the last diagnostic that was added, or `nil` if there is none.
    package func lastDiagnostic() async throws(JournalError) -> RecordAddress? {
        try await asJournal {
            try await database.read(
                """
                SELECT entry, position FROM diagnostic WHERE entry BETWEEN $1 AND $2
                ORDER BY entry DESC, position DESC LIMIT 1
                """,
                [
                    .value(journal.lane.start, .int8), .value(journal.lane.end, .int8),
                ]
            ).first.map { row in
                RecordAddress(
                    entry: try row.value(0, .int8), position: Int(try row.value(1, .int4)))
            }
        }
    }

    /// Adds diagnostics with all counts that include them, in one transaction.
    ///
    /// - Parameter diagnostics: In the order of their addresses, which are those in the lane.
    ///   `revisedBy` is an entry that the worker has not processed, or `nil`.
    package func add(_ diagnostics: [MovedDiagnostic]) async throws(JournalError) {
        let records = diagnostics.map(\.record)
        try await asJournal {
            try await journal.store(records, revised: []) { run in
                try await run.begin(expecting: [])
                // Earlier changes of symbols are applied by `awaken`.
                try await run.store(records, revised: [], symbolsSeen: .max)
                _ = try await run.transaction.execute(try Self.resends(diagnostics))
            }
        }
    }

    private static func resends(_ diagnostics: [MovedDiagnostic]) throws -> Statement {
        let rows = diagnostics.filter { $0.marked != nil || $0.revisedBy != nil }
        return try Statement(
            """
            INSERT INTO resend (entry, position, day, marked, taken)
            SELECT * FROM unnest($1::int8[], $2::int4[], $3::int4[], $4::int8[], $5::int8[])
            ON CONFLICT (entry, position)
            DO UPDATE SET marked = excluded.marked, taken = excluded.taken
            """,
            [
                .value(rows.map(\.record.address.entry), .array(of: .int8)),
                .value(
                    rows.map { Int32(clamping: $0.record.address.position) }, .array(of: .int4)),
                .value(
                    rows.map { DayPartitions.day(of: $0.record.arrival) }, .array(of: .int4)),
                .value(rows.map { $0.marked?.rawValue }, .nullableArray(of: .int8)),
                .value(rows.map(\.revisedBy), .nullableArray(of: .int8)),
            ])
    }

    /// Adds information about images. Call this after adding the diagnostics that wait for them.
    package func add(_ images: [MovedImage]) async throws(JournalError) {
        guard !images.isEmpty else { return }
        try await asJournal {
            let numbers = try await database.missingImages.put(
                images.map { image in
                    var known = ImageWaits.Image(
                        wanted: image.wanted, firstSeen: image.firstSeen, lastSeen: image.lastSeen)
                    known.versions = image.versions
                    return known
                })
            let rows = zip(images, numbers).flatMap { image, number in
                image.systems.map { (image: number, system: $0) }
            }
            try await journal.fenced { transaction in
                _ = try await transaction.execute(try systems(rows))
            }
        }
    }

    private func systems(
        _ rows: [(image: Int64, system: MissingSystem)]
    ) throws -> Statement {
        try Statement(
            """
            INSERT INTO missing_system (
                image, lane, os, build, architecture, models, diagnostics)
            SELECT image, $1::int2, os, build, architecture,
                coalesce(string_to_array(nullif(models, ''), chr(10)), '{}'), diagnostics
            FROM unnest($2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int8[])
                AS new (image, os, build, architecture, models, diagnostics)
            ON CONFLICT DO NOTHING
            """, MissingSystemChanges.parameters(rows, in: journal.lane))
    }

    private static let imagesPerStep: Int64 = 200

    /// Causes the diagnostics of the lane that wait for images whose symbols are stored to be sent
    /// again.
    ///
    /// - Parameter awakened: Images whose waiting diagnostics were to be sent again in any case.
    package func awaken(also awakened: Set<ImageID>) async throws(JournalError) {
        var last: Int64 = 0
        while let next = try await awakenStep(after: last, awakened) { last = next }
    }

    /// - Returns: The number of the last image of the step, or `nil` at the end.
    private func awakenStep(
        after last: Int64, _ awakened: Set<ImageID>
    ) async throws(JournalError) -> Int64? {
        try await asJournal {
            try await journal.fenced { transaction in
                let rows = try await transaction.rows(
                    """
                    SELECT id, image, app, stored FROM missing_image WHERE id IN (
                        SELECT DISTINCT image FROM missing_tally WHERE lane = $1 AND image > $2
                        ORDER BY image LIMIT $3)
                    ORDER BY id FOR UPDATE
                    """,
                    [
                        .value(journal.lane.rawValue, .int2), .value(last, .int8),
                        .value(Self.imagesPerStep, .int8),
                    ])
                let images = try rows.map { try MissingImageRow($0) }
                var changes: [(image: MissingImageRow, effect: SymbolChangeEffect)] = []
                for image in images {
                    guard let file = try await Self.file(for: image, transaction),
                        file.isSufficient || awakened.contains(image.image)
                    else { continue }
                    changes.append((image, SymbolChangeEffect(storing: file)))
                }
                try await SymbolChangeTable(transaction).awaken(changes)
                return images.last?.id
            }
        }
    }

    /// Returns the file that the diagnostics of a missing image may use.
    private static func file(
        for image: MissingImageRow, _ transaction: Transaction
    ) async throws -> StoredDebugFile? {
        let access = image.app.map(DebugFileAccess.only) ?? .everything
        return access.choice(among: try await DebugFileTable(transaction).files(of: image.image))
    }
}
