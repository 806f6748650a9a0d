import CallStacks
import Foundation
import GRDB
import Ingest
import SymbolIntake

/// The rows of images that diagnostics wait for.
///
/// An image is in the list for as long as some diagnostic waits for it, once for each app whose upload
/// alone serves. `waiting` counts the diagnostics, so that lists need not.
struct WaitRows {
    let db: Database

    init(_ db: Database) { self.db = db }

    /// Puts images into the list or brings up what is known of them. Nobody waits for them yet.
    ///
    /// - Returns: Their numbers.
    func put(_ images: [NewWaits.Image]) throws -> [Int64] { try images.map(put) }

    private func put(_ image: NewWaits.Image) throws -> Int64 {
        let row = try db.first(
            """
            INSERT INTO missing_image (
                image, app, name, architecture, in_app, waiting, first_seen, last_seen)
            VALUES (?, ?, ?, ?, ?, 0, ?, ?)
            ON CONFLICT (image, app) DO UPDATE SET
                name = coalesce(name, excluded.name),
                architecture = coalesce(architecture, excluded.architecture),
                in_app = max(in_app, excluded.in_app),
                first_seen = min(first_seen, excluded.first_seen),
                last_seen = max(last_seen, excluded.last_seen)
            RETURNING id
            """,
            [
                Data(image.wanted.image.bytes), image.wanted.app ?? "", image.wanted.name,
                image.wanted.architecture, image.wanted.isInApp, image.firstSeen.rawValue,
                image.lastSeen.rawValue,
            ])
        guard let id: Int64 = row?[0] else {
            throw DatabaseError(message: "RETURNING gave no row")
        }
        for version in image.versions { try AppVersionRows(db).add(version, to: id) }
        return id
    }

    /// Adds the diagnostics that wait for images.
    func add(_ images: [NewWaits.Image], _ numbers: [Int64]) throws {
        for (image, number) in zip(images, numbers) where !image.places.isEmpty {
            try add(image.places.sorted(by: <), to: number)
            try db.run(
                "UPDATE missing_image SET waiting = waiting + ? WHERE id = ?",
                [image.places.count, number])
        }
    }

    private func add(_ places: [RecordPlace], to image: Int64) throws {
        var rest = places[...]
        while rest.count >= Self.rowsPerInsert {
            try insert(rest.prefix(Self.rowsPerInsert), Self.insertMany, image)
            rest = rest.dropFirst(Self.rowsPerInsert)
        }
        for place in rest { try insert([place], Self.insertOne, image) }
    }

    /// One statement for many rows costs a third of as many statements.
    private static let rowsPerInsert = 16
    private static let insertOne = "INSERT INTO wait (image, entry, position) VALUES (?, ?, ?)"
    private static let insertMany =
        insertOne + String(repeating: ", (?, ?, ?)", count: rowsPerInsert - 1)

    private func insert(
        _ places: some Sequence<RecordPlace>, _ sql: String, _ image: Int64
    ) throws {
        try db.run(
            sql, StatementArguments(places.flatMap { [image, $0.entry, Int64($0.position)] }))
    }

    /// Forgets what a diagnostic waits for. Images may be left that nobody waits for:
    /// ``forgetUnwanted()`` removes those.
    func remove(of place: RecordPlace, _ wanted: WantedList) throws {
        for item in wanted.items {
            try db.run(
                "DELETE FROM wait WHERE image = ? AND entry = ? AND position = ?",
                [item.image, place.entry, place.position])
            guard db.changesCount > 0 else { continue }
            try db.run(
                "UPDATE missing_image SET waiting = waiting - 1 WHERE id = ?", [item.image])
        }
    }

    func forgetUnwanted() throws {
        try db.run("DELETE FROM missing_image WHERE waiting <= 0")
    }

    /// In the order in which the diagnostic told them, without those that have arrived.
    func wanted(by place: RecordPlace, _ list: WantedList) throws -> [WantedImage] {
        try list.items.compactMap { item in
            let row = try db.first(
                """
                SELECT image, name, architecture, in_app, app FROM missing_image
                WHERE id = ? AND EXISTS (
                    SELECT 1 FROM wait WHERE image = id AND entry = ? AND position = ?)
                """, [item.image, place.entry, place.position])
            return try row.map { row in
                WantedImage(
                    image: try ImageID(column: row[0]), name: row[1], architecture: row[2],
                    isInApp: row[3], frameCount: item.frameCount,
                    app: SymbolOwner(column: row[4]).app)
            }
        }
    }

    func awaited(after last: AwaitedImage?, count: Int) throws -> [AwaitedImage] {
        let rows = try db.all(
            """
            SELECT image, app, first_seen FROM missing_image WHERE (image, app) > (?, ?)
            ORDER BY image, app LIMIT ?
            """, [Data(last?.image.bytes ?? []), last?.app ?? "", count])
        return try rows.map { row in
            AwaitedImage(
                image: try ImageID(column: row[0]), app: SymbolOwner(column: row[1]).app,
                firstSeen: UnixTime(rawValue: row[2]))
        }
    }

    /// Those with most waiting diagnostics first. Rows of one image are shown as one.
    func missing(_ query: MissingQuery) throws -> [MissingImage] {
        var source = "missing_image"
        var conditions = "true"
        var arguments = StatementArguments()
        if let app = query.boundApp {
            source = "(\(Self.missingOfOneApp))"
            arguments += [app, app, app]
        }
        if let scope = query.scope {
            conditions += " AND in_app = ?"
            arguments += [scope == .app]
        }
        if let app = query.app {
            conditions += " AND id IN (SELECT image FROM image_version WHERE app = ?)"
            arguments += [app]
        }
        arguments += [min(max(query.limit, 1), Self.listLimit)]
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT image, max(name) AS name, max(architecture) AS architecture,
                    max(in_app) AS in_app, sum(waiting) AS waiting,
                    min(first_seen) AS first_seen, max(last_seen) AS last_seen,
                    group_concat(id) AS ids
                FROM \(source) WHERE \(conditions) GROUP BY image
                ORDER BY sum(waiting) DESC, max(last_seen) DESC, min(id) LIMIT ?
                """, arguments: arguments)
        return try rows.map { row in
            MissingImage(
                image: try ImageID(column: row["image"]), name: row["name"],
                architecture: row["architecture"], isInApp: row["in_app"],
                appVersions: try AppVersionRows(db).versions(
                    of: row["ids"], app: query.app ?? query.boundApp),
                waitingCount: row["waiting"],
                firstSeen: UnixTime(rawValue: row["first_seen"]),
                lastSeen: UnixTime(rawValue: row["last_seen"]))
        }
    }

    private static let listLimit = 10_000

    /// What one app's diagnostics wait for. Those that came before tokens were bound to the app wait
    /// together with those of other apps.
    private static let missingOfOneApp = """
        SELECT id, image, name, architecture, in_app, waiting, first_seen, last_seen
        FROM missing_image WHERE app = ?
        UNION ALL
        SELECT id, missing_image.image, name, architecture, in_app, count(*), min(arrival),
            max(arrival)
        FROM missing_image JOIN wait ON wait.image = id
            JOIN diagnostic USING (entry, position)
        WHERE missing_image.app = '' AND diagnostic.app = ?
            AND id IN (SELECT image FROM image_version WHERE app = ?)
        GROUP BY id
        """
}

extension ImageID {
    init(column: Data) throws(DatabaseProblem) {
        guard let image = Self(bytes: [UInt8](column)) else {
            throw DatabaseProblem.damage("an identity")
        }
        self = image
    }
}

extension RecordPlace {
    fileprivate static func < (left: Self, right: Self) -> Bool {
        (left.entry, left.position) < (right.entry, right.position)
    }
}
