import CallStacks
import GRDB
import Ingest
import SymbolIntake

extension MissingImageTable {
    private static let columns = "id, image, name, architecture, in_app, app, stored"

    /// Returns the images that a diagnostic waits for, in its order, including those whose waits
    /// are suspended.
    func allWanted(by address: RecordAddress, _ list: WantedImageList) throws -> [WantedImage] {
        try list.items.compactMap { item in
            let row = try db.first(
                """
                SELECT \(Self.columns) FROM missing_image WHERE id = ? AND EXISTS (
                    SELECT 1 FROM wait WHERE image = id AND entry = ? AND position = ?)
                """, [item.image, address.entry, address.position])
            return try row.map { try Self.wanted($0, frameCount: item.frameCount) }
        }
    }

    /// - Parameter row: Starts with ``columns``.
    private static func wanted(_ row: Row, frameCount: Int) throws -> WantedImage {
        WantedImage(
            image: try ImageID(column: row[1]), name: row[2], architecture: row[3], isInApp: row[4],
            frameCount: frameCount, app: SymbolOwner(column: row[5]).app, isStored: row[6])
    }

    /// Returns images in the order of their numbers.
    func moved(after number: Int64, count: Int) throws -> [(number: Int64, image: MovedImage)] {
        let rows = try db.all(
            """
            SELECT \(Self.columns), first_seen, last_seen FROM missing_image WHERE id > ?
            ORDER BY id LIMIT ?
            """, [number, count])
        return try rows.map { row in
            let id: Int64 = row[0]
            let versions = try db.all(
                "SELECT app, version FROM image_version WHERE image = ? ORDER BY id", [id])
            return (
                id,
                MovedImage(
                    wanted: try Self.wanted(row, frameCount: 0),
                    firstSeen: UnixTime(rawValue: row["first_seen"]),
                    lastSeen: UnixTime(rawValue: row["last_seen"]),
                    versions: versions.map { .init(app: $0[0], version: $0[1]) },
                    systems: try MissingSystemTable(db).systems(of: "\(id)"))
            )
        }
    }
}
