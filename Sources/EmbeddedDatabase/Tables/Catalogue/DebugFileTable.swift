import CallStacks
import DebugFiles
import Foundation
import GRDB
import SymbolIntake

/// The table of uploaded debug files.
struct DebugFileTable {
    let db: Database

    init(_ db: Database) { self.db = db }

    func add(_ file: StoredDebugFile, replaces: Bool) throws -> CatalogueChange {
        let old = try db.first(
            "SELECT * FROM debug_file WHERE image = ? AND architecture = ? AND app = ?",
            [Data(file.image.bytes), file.architecture, file.owner.column]
        ).map { try StoredDebugFile($0) }
        guard let old else {
            try insert(file)
            return .added(number: try SymbolChangeTable(db).add(file))
        }
        guard replaces || file.isBetter(than: old) else { return .kept(old) }
        _ = try delete(old)
        try insert(file.replacing(old))
        return .replaced(old, number: try SymbolChangeTable(db).add(file))
    }

    private func insert(_ file: StoredDebugFile) throws {
        let warnings = try JSONEncoder().encode(file.warnings)
        let completeness = try file.completeness.map { try JSONEncoder().encode($0) }
        try db.run(
            """
            INSERT INTO debug_file (
                app, image, architecture, name, kind, quality, blob, size, stored, upload, last_use,
                warnings, completeness, \(StoredExecutable.columns), \(StoredCompanions.columns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                file.owner.column, Data(file.image.bytes), file.architecture, file.name, file.kind,
                file.quality.rawValue, file.blob, file.byteCount, file.storedByteCount,
                file.upload.rawValue, max(file.lastUse, file.upload).rawValue,
                String(decoding: warnings, as: UTF8.self),
                completeness.map { String(decoding: $0, as: UTF8.self) },
            ] + StoredExecutable.arguments(file.executable)
                + StoredCompanions.arguments(file.companions))
    }

    /// - Returns: Whether the file is stored and had no executable.
    func keep(_ executable: StoredExecutable, beside file: StoredDebugFile) throws -> Bool {
        try db.run(
            """
            UPDATE debug_file SET (\(StoredExecutable.columns)) = (?, ?, ?, ?, ?)
            WHERE image = ? AND architecture = ? AND app = ? AND blob = ?
                AND executable_blob IS NULL
            """,
            StoredExecutable.arguments(executable) + file.keyArguments)
        return db.changesCount > 0
    }

    func files(of image: ImageID) throws -> [StoredDebugFile] {
        try db.all(
            "SELECT * FROM debug_file WHERE image = ? ORDER BY architecture, id",
            [Data(image.bytes)]
        ).map { try StoredDebugFile($0) }
    }

    func images(startingWith prefix: [UInt8], limit: Int) throws -> [ImageID] {
        // No identity with this prefix is longer than the padded end.
        let end = prefix + Array(repeating: 0xff, count: ImageID.lengthLimit)
        return try db.all(
            """
            SELECT DISTINCT image FROM debug_file WHERE image >= ? AND image <= ?
            ORDER BY image LIMIT ?
            """, [Data(prefix), Data(end), limit]
        ).map { try ImageID(column: $0["image"]) }
    }

    func isMissing(_ image: ImageID, for access: DebugFileAccess) throws -> Bool {
        guard let file = access.choice(among: try files(of: image)) else { return true }
        return !file.isSufficient
    }

    /// Returns the files that match a query, newest first.
    func files(_ query: DebugFileQuery) throws -> [StoredDebugFile] {
        var conditions = "true"
        var arguments = StatementArguments()
        func add(_ condition: String, _ value: (any DatabaseValueConvertible)?) {
            guard let value else { return }
            conditions += " AND \(condition)"
            arguments += [value]
        }
        add("app IN ('', ?)", query.access.boundApp)
        add("app IN ('', ?)", query.app)
        add("image = ?", query.image.map { Data($0.bytes) })
        if query.version != nil || query.build != nil || query.app != nil {
            // A file owned by an app need not belong to a build, unless the query names one.
            let isOfBuild = query.version != nil || query.build != nil
            conditions += """
                 AND (\(isOfBuild ? "false" : "app <> ''") OR image IN (
                    SELECT image FROM build_image JOIN build ON build.id = build_image.build
                    WHERE (debug_file.app = '' OR build.app = debug_file.app)
                """
            add("build.app = ?", query.app ?? query.access.boundApp)
            add("version = ?", query.version)
            add("build.build = ?", query.build)
            conditions += "))"
        }
        arguments += [min(max(query.limit, 1), Self.listLimit)]
        return try db.all(
            "SELECT * FROM debug_file WHERE \(conditions) ORDER BY upload DESC, id DESC LIMIT ?",
            arguments
        ) { try StoredDebugFile($0) }
    }

    private static let listLimit = 10_000

    /// - Parameter owner: The owner, or `nil` for all owners.
    func remove(_ image: ImageID, of owner: SymbolOwner?) throws -> [StoredDebugFile] {
        let files = try files(of: image).filter { owner == nil || $0.owner == owner }
        for file in files { _ = try remove(file) }
        return files
    }

    /// - Returns: Whether it existed.
    func remove(_ file: StoredDebugFile) throws -> Bool {
        guard try delete(file) else { return false }
        if file.isOfSystem { try SystemImageTable(db).removeUnstored(file.image) }
        try SymbolChangeTable(db).addRemoval(of: file)
        return true
    }

    private func delete(_ file: StoredDebugFile) throws -> Bool {
        try db.run(
            "DELETE FROM debug_file WHERE image = ? AND architecture = ? AND app = ? AND blob = ?",
            file.keyArguments)
        return db.changesCount > 0
    }

    func isReferenced(blob: String) throws -> Bool {
        try db.first(
            """
            SELECT 1 FROM debug_file
            WHERE blob = ? OR executable_blob = ? OR companions_blob = ? LIMIT 1
            """, [blob, blob, blob]
        ) != nil
    }

    func markUsed(_ files: Set<DebugFileKey>, at now: UnixTime) throws {
        for file in files {
            try db.run(
                """
                UPDATE debug_file SET last_use = ?
                WHERE image = ? AND architecture = ? AND ? IN (blob, executable_blob)
                    AND last_use < ?
                """,
                [
                    now.rawValue, Data(file.image.bytes), file.architecture, file.blob,
                    now.rawValue,
                ])
        }
    }

    func leastRecentlyUsed(count: Int) throws -> [StoredDebugFile] {
        try db.all("SELECT * FROM debug_file ORDER BY last_use, id LIMIT ?", [count])
            .map { try StoredDebugFile($0) }
    }

    func storedBytes() throws -> Int64 {
        try db.first(
            """
            SELECT coalesce(sum(stored), 0)
            FROM (
                SELECT max(stored) AS stored FROM (
                    SELECT blob, stored FROM debug_file
                    UNION ALL SELECT executable_blob, executable_stored FROM debug_file
                    WHERE executable_blob IS NOT NULL
                    UNION ALL SELECT companions_blob, companions_stored FROM debug_file
                    WHERE companions_blob IS NOT NULL
                ) GROUP BY blob)
            """)?[0] ?? 0
    }
}

extension StoredDebugFile {
    /// - Parameter readsCompleteness: Whether its completeness is read.
    init(_ row: Row, readsCompleteness: Bool = true) throws {
        guard let quality = DebugFileSummary.Quality(rawValue: row["quality"]) else {
            throw DatabaseProblem.damage("a debug file")
        }
        let warnings: String = row["warnings"]
        let completeness: String? = readsCompleteness ? row["completeness"] : nil
        self.init(
            owner: SymbolOwner(column: row["app"]), image: try ImageID(column: row["image"]),
            architecture: row["architecture"], name: row["name"], kind: row["kind"],
            quality: quality,
            completeness: try completeness.map { try Completeness(column: $0) }, blob: row["blob"],
            byteCount: row["size"], storedByteCount: row["stored"],
            upload: UnixTime(rawValue: row["upload"]),
            // Most files have none, and a decoder is slow.
            warnings: warnings == "[]"
                ? [] : try JSONDecoder().decode([String].self, from: Data(warnings.utf8)))
        lastUse = UnixTime(rawValue: row["last_use"])
        executable = StoredExecutable(row)
        companions = try StoredCompanions(row)
    }

    /// The values that identify its row: image, architecture, app and blob.
    fileprivate var keyArguments: StatementArguments {
        [Data(image.bytes), architecture, owner.column, blob]
    }
}

extension Completeness {
    init(column: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(column.utf8))
    }
}

extension StoredExecutable {
    fileprivate static let columns = """
        executable_blob, executable_name, executable_kind, executable_size, executable_stored
        """

    /// The values of ``columns``.
    fileprivate static func arguments(_ executable: Self?) -> StatementArguments {
        [
            executable?.blob, executable?.name, executable?.kind, executable?.byteCount,
            executable?.storedByteCount,
        ]
    }

    fileprivate init?(_ row: Row) {
        guard let blob = row["executable_blob"] as String? else { return nil }
        self.init(
            name: row["executable_name"], kind: row["executable_kind"], blob: blob,
            byteCount: row["executable_size"], storedByteCount: row["executable_stored"])
    }
}

extension StoredCompanions {
    fileprivate static let columns =
        "companions_blob, companions_size, companions_stored, supplement"

    /// The values of ``columns``.
    fileprivate static func arguments(_ companions: Self?) -> StatementArguments {
        [
            companions?.blob, companions?.byteCount, companions?.storedByteCount,
            companions?.supplement.map { Data($0.bytes) },
        ]
    }

    fileprivate init?(_ row: Row) throws {
        guard let blob = row["companions_blob"] as String? else { return nil }
        let supplement = row["supplement"] as Data?
        self.init(
            blob: blob, byteCount: row["companions_size"],
            storedByteCount: row["companions_stored"],
            supplement: try supplement.map { try ImageID(column: $0) })
    }
}

extension SymbolOwner {
    /// The app, or an empty string for everyone. An empty app name counts as none.
    var column: String { app ?? "" }

    init(column: String) { self.init(app: column.isEmpty ? nil : column) }
}
