import CallStacks
import Foundation
import GRDB
import Ingest
import SymbolIntake

/// The table of images that diagnostics wait for.
///
/// An image has a row as long as any diagnostic waits for it, and a row for each app whose
/// diagnostics may only use that app's upload. `waiting` is the number of diagnostics, so that
/// lists need not count them.
struct MissingImageTable {
    let db: Database

    init(_ db: Database) { self.db = db }

    /// Inserts images or updates their information, without adding diagnostics.
    ///
    /// - Returns: The numbers of the images.
    func put(_ images: [ImageWaits.Image]) throws -> [Int64] { try images.map(put) }

    private func put(_ image: ImageWaits.Image) throws -> Int64 {
        let row = try db.first(
            """
            INSERT INTO missing_image (
                image, app, name, architecture, in_app, waiting, first_seen, last_seen, stored)
            VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?)
            ON CONFLICT (image, app) DO UPDATE SET
                name = coalesce(name, excluded.name),
                architecture = coalesce(architecture, excluded.architecture),
                in_app = CASE
                    WHEN (name IS NULL) = (excluded.name IS NULL)
                        THEN max(in_app, excluded.in_app)
                    WHEN name IS NULL THEN excluded.in_app ELSE in_app END,
                first_seen = min(first_seen, excluded.first_seen),
                last_seen = max(last_seen, excluded.last_seen),
                stored = min(stored, excluded.stored)
            RETURNING id
            """,
            [
                Data(image.wanted.image.bytes), image.wanted.app ?? "", image.wanted.name,
                image.wanted.architecture, image.wanted.isInApp, image.firstSeen.rawValue,
                image.lastSeen.rawValue, image.wanted.isStored,
            ])
        guard let id: Int64 = row?[0] else {
            throw DatabaseError(message: "RETURNING gave no row")
        }
        for version in image.versions { try AppVersionTable(db).add(version, to: id) }
        return id
    }

    /// Adds the diagnostics that wait for images.
    func add(_ images: [ImageWaits.Image], _ numbers: [Int64]) throws {
        for (image, number) in zip(images, numbers) where !image.addresses.isEmpty {
            try add(image.addresses.sorted(), to: number)
            try db.run(
                "UPDATE missing_image SET waiting = waiting + ?, frames = frames + ? WHERE id = ?",
                [image.addresses.count, image.frameCount, number])
            for system in image.systems { try MissingSystemTable(db).add(system, to: number) }
        }
    }

    private func add(_ addresses: [RecordAddress], to image: Int64) throws {
        var rest = addresses[...]
        while rest.count >= Self.rowsPerInsert {
            try insert(rest.prefix(Self.rowsPerInsert), Self.insertMany, image)
            rest = rest.dropFirst(Self.rowsPerInsert)
        }
        for address in rest { try insert([address], Self.insertOne, image) }
    }

    /// The number of rows per statement. One statement for many rows takes a third of the time of
    /// as many statements.
    private static let rowsPerInsert = 16
    private static let insertOne = "INSERT INTO wait (image, entry, position) VALUES (?, ?, ?)"
    private static let insertMany =
        insertOne + String(repeating: ", (?, ?, ?)", count: rowsPerInsert - 1)

    private func insert(
        _ addresses: some Sequence<RecordAddress>, _ sql: String, _ image: Int64
    ) throws {
        var values: [DatabaseValue] = []
        values.reserveCapacity(3 * Self.rowsPerInsert)
        for address in addresses {
            values.append(image.databaseValue)
            values.append(address.entry.databaseValue)
            values.append(address.position.databaseValue)
        }
        try db.run(sql, StatementArguments(values))
    }

    /// Removes a diagnostic from the images that it waits for. Images that no diagnostic waits for
    /// any more are removed by ``removeUnwanted()``.
    func remove(of address: RecordAddress, _ wanted: WantedImageList) throws {
        for item in wanted.items {
            try db.run(
                "DELETE FROM wait WHERE image = ? AND entry = ? AND position = ?",
                [item.image, address.entry, address.position])
            guard db.changesCount > 0 else { continue }
            try db.run(
                "UPDATE missing_image SET waiting = waiting - 1 WHERE id = ?", [item.image])
        }
    }

    /// Returns the images of a diagnostic's list that it waits for. It no longer waits for images
    /// whose arrival has already marked it, although they may still be marking others.
    func awaited(by address: RecordAddress, _ list: WantedImageList) throws -> WantedImageList {
        WantedImageList(
            try list.items.filter { item in
                try db.first(
                    "SELECT 1 FROM wait WHERE image = ? AND entry = ? AND position = ?",
                    [item.image, address.entry, address.position]) != nil
            })
    }

    func removeUnwanted() throws {
        try db.run("DELETE FROM missing_image WHERE waiting <= 0")
    }

    /// Returns the images that a diagnostic wants, in its order, without those that have arrived.
    func wanted(by address: RecordAddress, _ list: WantedImageList) throws -> [WantedImage] {
        try allWanted(by: address, list).filter { !$0.isStored }
    }

    func awaited(after last: AwaitedImage?, count: Int) throws -> [AwaitedImage] {
        let rows = try db.all(
            """
            SELECT image, app, waiting FROM missing_image
            WHERE (image, app) > (?, ?) AND stored = 0 ORDER BY image, app LIMIT ?
            """, [Data(last?.image.bytes ?? []), last?.app ?? "", count])
        return try rows.map { row in
            AwaitedImage(
                image: try ImageID(column: row[0]), app: SymbolOwner(column: row[1]).app,
                waitingCount: row[2])
        }
    }

    /// Returns the missing images, those with the most diagnostics first. The rows of an image are
    /// joined.
    func missing(_ query: MissingQuery) throws -> [MissingImage] {
        let filter = MissingImageFilter(query)
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT image, max(name) AS name, max(architecture) AS architecture,
                    max(in_app) AS in_app, sum(waiting) AS waiting,
                    min(first_seen) AS first_seen, max(last_seen) AS last_seen,
                    sum(frames) AS frames, group_concat(id) AS ids
                FROM \(filter.source) WHERE \(filter.condition) GROUP BY image
                ORDER BY sum(waiting) DESC, max(last_seen) DESC, min(id) LIMIT ?
                """,
            arguments: filter.arguments + [min(max(query.limit, 1), Self.listLimit)])
        return try rows.map { row in
            var image = try MissingImage(
                row,
                appVersions: try AppVersionTable(db).versions(
                    of: row["ids"], app: query.app ?? query.boundApp))
            // A caller bound to one app must not see the system images of other apps' devices.
            if !image.isInApp, query.boundApp == nil {
                image.frameCount = row["frames"]
                image.systems = try MissingSystemTable(db).systems(of: row["ids"])
            }
            return image
        }
    }

    func summary(_ query: MissingQuery) throws -> MissingSummary {
        let filter = MissingImageFilter(query)
        let row = try db.first(
            """
            SELECT count(*), coalesce(max(waiting), 0) FROM (
                SELECT sum(waiting) AS waiting
                FROM \(filter.source) WHERE \(filter.condition) GROUP BY image)
            """, filter.arguments)
        guard let row else { throw DatabaseError(message: "count() gave no row") }
        return MissingSummary(imageCount: row[0], largestWaitingCount: row[1])
    }

    func incompleteVersions(_ query: MissingQuery) throws -> [IncompleteVersion] {
        var source = Self.unstoredImages
        var arguments = StatementArguments()
        if let app = query.boundApp {
            source = "(\(Self.missingOfOneApp))"
            arguments += [app, app, app]
        }
        let app = query.boundApp ?? query.app
        arguments += [app, app, min(max(query.limit, 1), Self.listLimit)]
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT version.app AS app, version, count(DISTINCT missing.image) AS images,
                    max(waiting) AS waiting, max(last_seen) AS last_seen
                FROM image_version AS version
                    JOIN \(source) AS missing ON missing.id = version.image
                WHERE in_app AND version <> '' AND (? IS NULL OR version.app = ?)
                GROUP BY version.app, version
                ORDER BY max(waiting) DESC, max(last_seen) DESC, version.app, version LIMIT ?
                """, arguments: arguments)
        return rows.map { row in
            IncompleteVersion(
                app: row["app"], version: row["version"], imageCount: row["images"],
                waitingCount: row["waiting"], lastSeen: UnixTime(rawValue: row["last_seen"]))
        }
    }

    private static let listLimit = 10_000

    /// The images whose diagnostics wait for symbols.
    static let unstoredImages = "(SELECT * FROM missing_image WHERE stored = 0)"

    /// The images that one app's diagnostics wait for. Diagnostics that arrived before a token was
    /// bound to the app share rows with those of other apps.
    static let missingOfOneApp = """
        SELECT id, image, name, architecture, in_app, waiting, first_seen, last_seen, frames
        FROM missing_image WHERE app = ? AND stored = 0
        UNION ALL
        SELECT id, missing_image.image, name, architecture, in_app, count(*), min(arrival),
            max(arrival), 0
        FROM missing_image JOIN wait ON wait.image = id
            JOIN diagnostic USING (entry, position)
        WHERE missing_image.app = '' AND stored = 0 AND diagnostic.app = ?
            AND id IN (SELECT image FROM image_version WHERE app = ?)
        GROUP BY id
        """
}

extension MissingImage {
    /// - Parameter row: A row of a list of missing images.
    init(_ row: Row, appVersions: [String]) throws(DatabaseProblem) {
        self.init(
            image: try ImageID(column: row["image"]), name: row["name"],
            architecture: row["architecture"], isInApp: row["in_app"], appVersions: appVersions,
            waitingCount: row["waiting"], firstSeen: UnixTime(rawValue: row["first_seen"]),
            lastSeen: UnixTime(rawValue: row["last_seen"]))
    }
}

extension ImageID {
    init(column: Data) throws(DatabaseProblem) {
        guard let image = Self(bytes: [UInt8](column)) else {
            throw DatabaseProblem.damage("an identity")
        }
        self = image
    }
}
