import CallStacks
import Foundation
import GRDB
import SymbolIntake

/// The tables of builds and their images.
struct BuildTable {
    private let db: Database

    init(_ db: Database) { self.db = db }

    func add(
        _ images: [BuildImage], to build: Build, commit: SourceCommit?, at now: UnixTime
    ) throws {
        let row = try db.first(
            """
            INSERT INTO build (app, version, build, source_commit, first_upload, last_upload)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (app, version, build) DO UPDATE SET
                source_commit = coalesce(excluded.source_commit, source_commit),
                first_upload = min(first_upload, excluded.first_upload),
                last_upload = max(last_upload, excluded.last_upload)
            RETURNING id
            """,
            [
                build.app, build.version, build.build, commit?.description, now.rawValue,
                now.rawValue,
            ])
        guard let id: Int64 = row?[0] else {
            throw DatabaseError(message: "RETURNING gave no row")
        }
        for image in images {
            try db.run(
                """
                INSERT INTO build_image (build, image, architecture, name) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET name = excluded.name
                """, [id, Data(image.image.bytes), image.architecture, image.name])
        }
    }

    /// Returns the builds that match a query, the most recently uploaded first.
    func builds(_ query: BuildQuery) throws -> [BuildContents] {
        try rows(query).map { row in
            BuildContents(
                build: Build(app: row["app"], version: row["version"], build: row["build"]),
                commit: (row["source_commit"] as String?).flatMap { SourceCommit($0) },
                firstUpload: UnixTime(rawValue: row["first_upload"]),
                lastUpload: UnixTime(rawValue: row["last_upload"]),
                images: query.includesImages
                    ? try images(ofBuild: row["id"], for: .only(row["app"])) : [])
        }
    }

    private func rows(_ query: BuildQuery) throws -> [Row] {
        let image = query.image.map { Data($0.bytes) }
        guard let builds = query.builds else {
            return try db.all(Self.listStatement, [query.app, query.app, image, image])
        }
        return try Set(builds).filter { query.app == nil || query.app == $0.app }
            .compactMap { build in
                try db.first(
                    Self.buildStatement, [build.app, build.version, build.build, image, image])
            }.sorted(by: Self.isNewer)
    }

    private static func isNewer(_ row: Row, than other: Row) -> Bool {
        let uploads: (own: Int64, other: Int64) = (row["last_upload"], other["last_upload"])
        let ids: (own: Int64, other: Int64) = (row["id"], other["id"])
        return (uploads.own, ids.own) > (uploads.other, ids.other)
    }

    private static let imageCondition =
        "(? IS NULL OR id IN (SELECT build FROM build_image WHERE image = ?))"
    private static let listStatement = """
        SELECT * FROM build WHERE (? IS NULL OR app = ?) AND \(imageCondition)
        ORDER BY last_upload DESC, id DESC
        """
    private static let buildStatement = """
        SELECT * FROM build WHERE app = ? AND version = ? AND build = ? AND \(imageCondition)
        """

    private func images(
        ofBuild id: Int64, for access: DebugFileAccess
    ) throws -> [(image: BuildImage, file: StoredDebugFile?)] {
        let files = try files(ofBuild: id)
        return try db.all(
            """
            SELECT image, architecture, name FROM build_image WHERE build = ?
            ORDER BY name, architecture, image
            """, [id]
        ) { row in
            let image = BuildImage(
                image: try ImageID(column: row[0]), architecture: row[1], name: row[2])
            return (image, access.choice(among: files[image.image, default: []]))
        }
    }

    private func files(ofBuild id: Int64) throws -> [ImageID: [StoredDebugFile]] {
        let found = try db.all(
            """
            SELECT * FROM debug_file WHERE image IN (
                SELECT image FROM build_image WHERE build = ?)
            ORDER BY architecture, id
            """, [id]
        ) { row in
            (
                file: try StoredDebugFile(row, readsCompleteness: false),
                completeness: row["completeness"] as String?
            )
        }
        return try Dictionary(grouping: found, by: \.file.image).mapValues { files in
            guard files.count > 1 else { return files.map(\.file) }
            return try files.map { file, completeness in
                var file = file
                file.completeness = try completeness.map { try Completeness(column: $0) }
                return file
            }
        }
    }

    func exclusiveFiles(of build: Build) throws -> [StoredDebugFile]? {
        guard let id = try id(of: build) else { return nil }
        return try exclusiveImages(ofBuild: id, app: build.app).flatMap { image in
            try DebugFileTable(db).files(of: image).filter { $0.owner == .app(build.app) }
        }
    }

    func remove(_ build: Build) throws -> [StoredDebugFile]? {
        guard let id = try id(of: build) else { return nil }
        let images = try exclusiveImages(ofBuild: id, app: build.app)
        try db.run("DELETE FROM build WHERE id = ?", [id])
        return try images.flatMap { image in
            try DebugFileTable(db).remove(image, of: .app(build.app))
        }
    }

    private func id(of build: Build) throws -> Int64? {
        try db.first(
            "SELECT id FROM build WHERE app = ? AND version = ? AND build = ?",
            [build.app, build.version, build.build])?[0]
    }

    /// Returns the images that belong to no other build of the app.
    private func exclusiveImages(ofBuild id: Int64, app: String) throws -> [ImageID] {
        try db.all(
            """
            SELECT DISTINCT image FROM build_image AS own WHERE build = ? AND NOT EXISTS (
                SELECT 1 FROM build_image JOIN build ON build.id = build_image.build
                WHERE image = own.image AND build.app = ? AND build.id <> own.build)
            """, [id, app]
        ).map { try ImageID(column: $0[0]) }
    }

    func images() throws -> [String: Set<ImageID>] {
        let rows = try db.all(
            """
            SELECT DISTINCT build.app, image FROM build_image
            JOIN build ON build.id = build_image.build
            """)
        var images: [String: Set<ImageID>] = [:]
        for row in rows { images[row[0], default: []].insert(try ImageID(column: row[1])) }
        return images
    }
}
