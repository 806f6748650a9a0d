import CallStacks
import DebugFiles
import Foundation
import GRDB
import SymbolIntake

/// The table of the systems that stored system images belong to.
///
/// An image may belong to several systems. It has rows only while a file of it is stored.
struct SystemImageTable {
    private let db: Database

    init(_ db: Database) { self.db = db }

    /// - Parameter system: The system, or `nil` for those of the diagnostics that wait for the
    ///   images, which are recorded only for images without a system.
    func add(_ images: [ImageID], of system: SystemBuild?) throws {
        for image in images {
            let files = try systemFiles(of: image)
            guard !files.isEmpty else { continue }
            if let system {
                for file in files { try add(image, system, file.architecture) }
            } else if try !hasRows(image) {
                try addWanted(image)
            }
        }
    }

    /// - Parameter architecture: The architecture of the file, if the system has none.
    private func add(_ image: ImageID, _ system: SystemBuild, _ architecture: String) throws {
        try db.run(
            """
            INSERT INTO system_image (image, build, architecture, os) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET os = excluded.os WHERE excluded.os <> ''
            """,
            [
                Data(image.bytes), system.build,
                system.architecture.isEmpty ? architecture : system.architecture, system.name,
            ])
    }

    private func addWanted(_ image: ImageID) throws {
        try db.run(
            """
            INSERT OR IGNORE INTO system_image (image, build, architecture, os)
            SELECT missing_image.image, system.build, system.architecture, system.os
            FROM missing_image JOIN missing_system AS system ON system.image = missing_image.id
            WHERE missing_image.image = ? AND system.build <> ''
            """, [Data(image.bytes)])
    }

    private func hasRows(_ image: ImageID) throws -> Bool {
        try db.first("SELECT 1 FROM system_image WHERE image = ? LIMIT 1", [Data(image.bytes)])
            != nil
    }

    private func systemFiles(of image: ImageID) throws -> [StoredDebugFile] {
        try DebugFileTable(db).files(of: image).filter(\.isOfSystem)
    }

    /// Returns the systems with stored images, the newest builds last.
    func systems() throws -> [StoredSystem] {
        try db.all(
            """
            SELECT os, build, architecture, count(*) AS images,
                coalesce(sum((
                    SELECT max(stored) FROM debug_file AS file
                    WHERE file.image = system_image.image AND kind = ?)), 0) AS stored
            FROM system_image GROUP BY build, architecture ORDER BY build, architecture
            """, [StoredDebugFile.systemKind]
        ).map { row in
            StoredSystem(
                system: SystemBuild(
                    name: row["os"], build: row["build"], architecture: row["architecture"]),
                imageCount: row["images"], storedByteCount: row["stored"])
        }
    }

    /// Removes a system, and the files of its images that belong to no other system.
    ///
    /// - Returns: The removed files, or `nil` if no image of the build is stored.
    func remove(build: String) throws -> [StoredDebugFile]? {
        let images = try db.all("SELECT DISTINCT image FROM system_image WHERE build = ?", [build])
            .map { try ImageID(column: $0[0]) }
        guard !images.isEmpty else { return nil }
        try db.run("DELETE FROM system_image WHERE build = ?", [build])
        var removed: [StoredDebugFile] = []
        for image in images where try !hasRows(image) {
            for file in try systemFiles(of: image) where try DebugFileTable(db).remove(file) {
                removed.append(file)
            }
        }
        return removed
    }

    /// Forgets the systems of an image without a stored file.
    func removeUnstored(_ image: ImageID) throws {
        guard try systemFiles(of: image).isEmpty else { return }
        try db.run("DELETE FROM system_image WHERE image = ?", [Data(image.bytes)])
    }
}
