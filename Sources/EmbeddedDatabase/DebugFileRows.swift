import CallStacks
import DebugFiles
import Foundation
import GRDB
import SymbolIntake

/// The rows of uploaded debug files.
struct DebugFileRows {
    let db: Database

    init(_ db: Database) { self.db = db }

    func add(_ file: StoredDebugFile) throws -> CatalogueChange {
        let old = try db.first(
            "SELECT * FROM debug_file WHERE image = ? AND architecture = ?",
            [Data(file.image.bytes), file.architecture]
        ).map { try StoredDebugFile($0) }
        guard let old else {
            try insert(file)
            return .added
        }
        guard file.isBetter(than: old) else { return .kept(old) }
        try db.run(
            "DELETE FROM debug_file WHERE image = ? AND architecture = ?",
            [Data(file.image.bytes), file.architecture])
        try insert(file)
        return .replaced(old)
    }

    private func insert(_ file: StoredDebugFile) throws {
        let warnings = try JSONEncoder().encode(file.warnings)
        let completeness = try file.completeness.map { try JSONEncoder().encode($0) }
        try db.run(
            """
            INSERT INTO debug_file (
                image, architecture, name, kind, quality, blob, size, stored, upload, last_use,
                warnings, completeness)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                Data(file.image.bytes), file.architecture, file.name, file.kind,
                file.quality.rawValue, file.blob, file.byteCount, file.storedByteCount,
                file.upload.rawValue, max(file.lastUse, file.upload).rawValue,
                String(decoding: warnings, as: UTF8.self),
                completeness.map { String(decoding: $0, as: UTF8.self) },
            ])
    }

    func files(of image: ImageID) throws -> [StoredDebugFile] {
        try db.all(
            "SELECT * FROM debug_file WHERE image = ? ORDER BY architecture", [Data(image.bytes)]
        ).map { try StoredDebugFile($0) }
    }

    func isMissing(_ image: ImageID) throws -> Bool {
        try !files(of: image).contains(where: \.isSufficient)
    }

    /// The newest first.
    func files(_ query: DebugFileQuery) throws -> [StoredDebugFile] {
        var ofBuild: [String] = []
        var arguments = StatementArguments()
        for (column, value) in [
            ("app", query.app), ("version", query.version), ("build.build", query.build),
        ] {
            guard let value else { continue }
            ofBuild.append("\(column) = ?")
            arguments += [value]
        }
        var conditions = "true"
        if !ofBuild.isEmpty {
            conditions += """
                 AND image IN (
                    SELECT image FROM build_image JOIN build ON build.id = build_image.build
                    WHERE \(ofBuild.joined(separator: " AND ")))
                """
        }
        if let image = query.image {
            conditions += " AND image = ?"
            arguments += [Data(image.bytes)]
        }
        arguments += [min(max(query.limit, 1), Self.listLimit)]
        return try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM debug_file WHERE \(conditions) ORDER BY upload DESC, id DESC LIMIT ?
                """, arguments: arguments
        ).map { try StoredDebugFile($0) }
    }

    private static let listLimit = 10_000

    func remove(_ image: ImageID) throws -> [StoredDebugFile] {
        let files = try files(of: image)
        try db.run("DELETE FROM debug_file WHERE image = ?", [Data(image.bytes)])
        return files
    }

    func isWanted(blob: String) throws -> Bool {
        try db.first("SELECT 1 FROM debug_file WHERE blob = ? LIMIT 1", [blob]) != nil
    }

    func markUsed(_ images: Set<ImageID>, at now: UnixTime) throws {
        for image in images {
            try db.run(
                "UPDATE debug_file SET last_use = ? WHERE image = ? AND last_use < ?",
                [now.rawValue, Data(image.bytes), now.rawValue])
        }
    }

    func leastUsed(count: Int) throws -> [StoredDebugFile] {
        try db.all("SELECT * FROM debug_file ORDER BY last_use, id LIMIT ?", [count])
            .map { try StoredDebugFile($0) }
    }

    func storedBytes() throws -> Int64 {
        try db.first(
            """
            SELECT coalesce(sum(stored), 0)
            FROM (SELECT max(stored) AS stored FROM debug_file GROUP BY blob)
            """)?[0] ?? 0
    }
}

extension StoredDebugFile {
    fileprivate init(_ row: Row) throws {
        guard let quality = DebugFileSummary.Quality(rawValue: row["quality"]) else {
            throw DatabaseProblem.damage("a debug file")
        }
        let warnings = Data((row["warnings"] as String).utf8)
        self.init(
            image: try ImageID(column: row["image"]), architecture: row["architecture"],
            name: row["name"], kind: row["kind"], quality: quality,
            completeness: try (row["completeness"] as String?).map {
                try JSONDecoder().decode(Completeness.self, from: Data($0.utf8))
            }, blob: row["blob"],
            byteCount: row["size"], storedByteCount: row["stored"],
            upload: UnixTime(rawValue: row["upload"]),
            warnings: try JSONDecoder().decode([String].self, from: warnings))
        lastUse = UnixTime(rawValue: row["last_use"])
    }
}
