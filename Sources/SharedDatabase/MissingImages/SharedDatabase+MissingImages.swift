public import CallStacks
public import Ingest
import PostgreSQL
import SymbolIntake

extension SharedDatabase {
    private static let listLimit = 10_000

    private static func limit(_ limit: Int) -> Parameter {
        .value(Int64(min(max(limit, 1), listLimit)), .int8)
    }

    /// Returns the images that diagnostics wait for, those with the most diagnostics first. The rows
    /// of an image are joined.
    public func missingImages(_ query: MissingQuery) async throws(JournalError) -> [MissingImage] {
        var source = MissingImageSource(query)
        let limit = source.placeholder(Self.limit(query.limit))
        let text = """
            SELECT image, max(name), max(architecture), bool_or(in_app), sum(waiting)::int8,
                min(first_seen), max(last_seen), sum(frames)::int8, array_agg(id ORDER BY id)
            FROM \(source.text) GROUP BY image
            ORDER BY sum(waiting) DESC, max(last_seen) DESC, min(id) LIMIT \(limit)
            """
        return try await list(text, source.parameters) { row, ids, details in
            let versions = details.versions(of: ids, app: query.app ?? query.boundApp)
            var image = try Self.image(row, versions: versions)
            // A caller bound to one app must not see the system images of other apps' devices.
            if !image.isInApp, query.boundApp == nil {
                image.frameCount = Int(try row.value(7, .int8))
                image.systems = details.systems(of: ids)
            }
            return image
        }
    }

    /// Returns one page of the images that diagnostics wait for, with their positions in the list.
    public func missingImages(
        _ query: MissingListQuery
    ) async throws(JournalError) -> [ListedMissingImage] {
        let list = MissingListStatement(query)
        let page = try await self.list(list.text, list.parameters) { row, ids, details in
            let owner = try row.value(10, .text)
            let app = owner.isEmpty ? query.app ?? details.newestApp(of: ids) : owner
            let versions = details.versions(of: ids, app: app)
            var image = try Self.image(row, versions: versions)
            if !image.isInApp, query.boundApp == nil { image.systems = details.systems(of: ids) }
            return ListedMissingImage(
                position: MissingListQuery.Position(
                    key: Int64(image.waitingCount), id: try row.value(9, .int8)), app: app,
                image: image)
        }
        return query.after == nil ? page : page.reversed()
    }

    private static func image(_ row: Row, versions: [String]) throws -> MissingImage {
        MissingImage(
            image: try ImageID(column: try row.value(0, .bytea)), name: try row.optional(1, .text),
            architecture: try row.optional(2, .text), isInApp: try row.value(3, .bool),
            appVersions: versions, waitingCount: Int(try row.value(4, .int8)),
            firstSeen: UnixTime(rawValue: try row.value(5, .int8)),
            lastSeen: UnixTime(rawValue: try row.value(6, .int8)))
    }

    /// Reads a list whose ninth column has the numbers of missing images.
    private func list<Item>(
        _ text: String, _ parameters: [Parameter],
        _ item: (Row, [Int64], MissingImageDetails) throws -> Item
    ) async throws(JournalError) -> [Item] {
        try await asJournal {
            let statement = try Statement(text, parameters, limit: .large)
            let (rows, details) = try await pool.withTransaction(
                TransactionOptions(isReadOnly: true)
            ) { transaction in
                let rows = try await transaction.execute(statement)
                let ids = try rows.flatMap { try $0.value(8, .array(of: .int8)) }
                return (rows, try await MissingImageDetails(of: ids, transaction))
            }
            return try rows.map { row in
                try item(row, try row.value(8, .array(of: .int8)), details)
            }
        }
    }

    /// Counts the images that diagnostics wait for. The limit of the query is ignored.
    public func missingSummary(
        _ query: MissingQuery
    ) async throws(JournalError) -> MissingSummary {
        let source = MissingImageSource(query)
        return try await asJournal {
            let rows = try await read(
                """
                SELECT count(*), coalesce(max(waiting), 0)::int8 FROM (
                    SELECT sum(waiting) AS waiting FROM \(source.text) GROUP BY image) image
                """, source.parameters)
            guard let row = rows.first else { throw JournalError.damage("a count") }
            return MissingSummary(
                imageCount: Int(try row.value(0, .int8)),
                largestWaitingCount: Int(try row.value(1, .int8)))
        }
    }

    /// Returns the versions whose diagnostics wait for symbols of the app's own images, those with
    /// the most diagnostics first. The scope of the query is ignored.
    public func incompleteVersions(
        _ query: MissingQuery
    ) async throws(JournalError) -> [IncompleteVersion] {
        var source = MissingImageSource(boundTo: query.boundApp)
        let app = source.placeholder(.optional((query.boundApp ?? query.app)?.asKey, .text))
        let limit = source.placeholder(Self.limit(query.limit))
        return try await asJournal {
            try await read(
                """
                SELECT v.app, v.version, count(DISTINCT missing.image), max(waiting)::int8,
                    max(last_seen)
                FROM image_version v JOIN \(source.text) ON missing.id = v.image
                WHERE in_app AND v.version <> '' AND (\(app) IS NULL OR v.app = \(app))
                GROUP BY v.app, v.version
                ORDER BY max(waiting) DESC, max(last_seen) DESC, v.app, v.version LIMIT \(limit)
                """, source.parameters, limit: .large
            ).map { row in
                IncompleteVersion(
                    app: try row.value(0, .text), version: try row.value(1, .text),
                    imageCount: Int(try row.value(2, .int8)),
                    waitingCount: Int(try row.value(3, .int8)),
                    lastSeen: UnixTime(rawValue: try row.value(4, .int8)))
            }
        }
    }

    /// Returns the images that diagnostics wait for, in the order of their bytes, for visiting all
    /// of them.
    public func awaitedImages(
        after last: AwaitedImage?, count: Int
    ) async throws(JournalError) -> [AwaitedImage] {
        try await asJournal {
            try await read(
                """
                SELECT image, app, tally.waiting FROM missing_image m CROSS JOIN LATERAL (
                    SELECT sum(waiting)::int8 AS waiting FROM missing_tally t WHERE t.image = m.id
                ) AS tally
                WHERE (image, app) > ($1, $2) AND NOT stored AND tally.waiting > 0
                ORDER BY image, app LIMIT $3
                """,
                [
                    .value(last?.image.bytes ?? [], .bytea), .value(last?.app ?? "", .text),
                    .value(Int64(max(count, 0)), .int8),
                ], limit: .large
            ).map { row in
                AwaitedImage(
                    image: try ImageID(column: try row.value(0, .bytea)),
                    app: SymbolOwner(column: try row.value(1, .text)).app,
                    waitingCount: Int(try row.value(2, .int8)))
            }
        }
    }

    /// Returns the images whose symbols have changed and whose waiting diagnostics need more steps.
    public func awakenedImages() async throws(JournalError) -> [ImageID] {
        try await asJournal {
            try await read(
                """
                SELECT DISTINCT m.image FROM awakening a JOIN missing_image m ON m.id = a.image
                WHERE (SELECT sum(waiting) FROM missing_tally t WHERE t.image = m.id) > 0
                ORDER BY m.image
                """, limit: .large
            ).map { try ImageID(column: try $0.value(0, .bytea)) }
        }
    }
}
