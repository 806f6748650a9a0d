import CallStacks
import Foundation
import GRDB
import Ingest

/// The rows of images that diagnostics wait for.
///
/// An image stands in the list for as long as some diagnostic waits for it. `waiting` counts these, so
/// that lists need not.
struct WaitRows {
    let db: Database

    init(_ db: Database) { self.db = db }

    func add(_ waits: NewWaits) throws {
        let ids = try waits.images.map(put)
        for wait in waits.waits {
            try db.run(
                "INSERT INTO wait (entry, position, image, rank, frames) VALUES (?, ?, ?, ?, ?)",
                [
                    wait.place.entry, wait.place.position, ids[wait.image], wait.rank,
                    wait.frameCount,
                ])
        }
    }

    /// - Returns: The number of the image.
    private func put(_ image: NewWaits.Image) throws -> Int64 {
        let row = try db.first(
            """
            INSERT INTO missing_image (
                image, name, architecture, in_app, waiting, first_seen, last_seen)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (image) DO UPDATE SET
                name = coalesce(name, excluded.name),
                architecture = coalesce(architecture, excluded.architecture),
                in_app = max(in_app, excluded.in_app), waiting = waiting + excluded.waiting,
                first_seen = min(first_seen, excluded.first_seen),
                last_seen = max(last_seen, excluded.last_seen)
            RETURNING id
            """,
            [
                Data(image.wanted.image.bytes), image.wanted.name, image.wanted.architecture,
                image.wanted.isInApp, image.count, image.firstSeen.rawValue,
                image.lastSeen.rawValue,
            ])
        guard let id: Int64 = row?[0] else {
            throw DatabaseError(message: "RETURNING gave no row")
        }
        for version in image.versions { try AppVersionRows(db).add(version, to: id) }
        return id
    }

    /// Forgets what a diagnostic waits for. Images may be left that nobody waits for:
    /// ``forgetUnwanted()`` removes those.
    func remove(of place: RecordPlace) throws {
        try db.run(
            """
            UPDATE missing_image SET waiting = waiting - 1
            WHERE id IN (SELECT image FROM wait WHERE entry = ? AND position = ?)
            """, [place.entry, place.position])
        try db.run(
            "DELETE FROM wait WHERE entry = ? AND position = ?", [place.entry, place.position])
    }

    func forgetUnwanted() throws {
        try db.run("DELETE FROM missing_image WHERE waiting <= 0")
    }

    /// In the order in which the diagnostic told them.
    func wanted(by place: RecordPlace) throws -> [WantedImage] {
        let rows = try db.all(
            """
            SELECT missing_image.image, name, architecture, in_app, frames
            FROM wait JOIN missing_image ON missing_image.id = wait.image
            WHERE entry = ? AND position = ? ORDER BY rank
            """, [place.entry, place.position])
        return try rows.map { row in
            WantedImage(
                image: try ImageID(column: row[0]), name: row[1], architecture: row[2],
                isInApp: row[3], frameCount: row[4])
        }
    }

    func awaited(after image: ImageID?, count: Int) throws -> [AwaitedImage] {
        let rows = try db.all(
            """
            SELECT image, first_seen FROM missing_image WHERE image > ? ORDER BY image LIMIT ?
            """, [Data(image?.bytes ?? []), count])
        return try rows.map { row in
            AwaitedImage(
                image: try ImageID(column: row[0]), firstSeen: UnixTime(rawValue: row[1]))
        }
    }

    /// Those with most waiting diagnostics first.
    func missing(_ query: MissingQuery) throws -> [MissingImage] {
        var conditions = "true"
        var arguments = StatementArguments()
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
                SELECT * FROM missing_image WHERE \(conditions)
                ORDER BY waiting DESC, last_seen DESC, id LIMIT ?
                """, arguments: arguments)
        return try rows.map { row in
            MissingImage(
                image: try ImageID(column: row["image"]), name: row["name"],
                architecture: row["architecture"], isInApp: row["in_app"],
                appVersions: try AppVersionRows(db).versions(of: row["id"], app: query.app),
                waitingCount: row["waiting"],
                firstSeen: UnixTime(rawValue: row["first_seen"]),
                lastSeen: UnixTime(rawValue: row["last_seen"]))
        }
    }

    private static let listLimit = 10_000
}

extension ImageID {
    init(column: Data) throws(DatabaseProblem) {
        guard let image = Self(bytes: [UInt8](column)) else {
            throw DatabaseProblem.damage("an identity")
        }
        self = image
    }
}
