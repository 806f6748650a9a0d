import CallStacks
import PostgreSQL
import SymbolIntake

/// The tables of builds and their images, in a transaction.
struct BuildTable {
    private let transaction: Transaction

    init(_ transaction: Transaction) { self.transaction = transaction }

    func add(
        _ images: [BuildImage], to build: Build, commit: SourceCommit?, at now: UnixTime
    ) async throws {
        let rows = try await transaction.rows(
            """
            INSERT INTO build (app, version, build, first_upload, last_upload, source_commit)
            VALUES ($1, $2, $3, $4, $4, $5)
            ON CONFLICT (app, version, build) DO UPDATE SET
                source_commit = coalesce(excluded.source_commit, build.source_commit),
                first_upload = least(build.first_upload, excluded.first_upload),
                last_upload = greatest(build.last_upload, excluded.last_upload)
            RETURNING id
            """,
            build.parameters
                + [.value(now.rawValue, .int8), .optional(commit?.description, .text)])
        guard let id = try rows.first?.value(0, .int8) else { return }
        try await transaction.rows(
            """
            INSERT INTO build_image (build, image, architecture, name)
            SELECT DISTINCT ON (image, architecture) $1::int8, image, architecture, name
            FROM unnest($2::bytea[], $3::text[], $4::text[]) WITH ORDINALITY
                AS new (image, architecture, name, position)
            ORDER BY image, architecture, position DESC
            ON CONFLICT (build, image, architecture) DO UPDATE SET name = excluded.name
            """,
            [
                .value(id, .int8), .value(images.map(\.image.bytes), .array(of: .bytea)),
                .value(images.map(\.architecture), .array(of: .text)),
                .value(images.map(\.name.withoutNUL), .array(of: .text)),
            ])
    }

    /// Returns the builds that match a query, the most recently uploaded first.
    func builds(_ query: BuildQuery) async throws -> [BuildContents] {
        let builds = try await transaction.rows(
            """
            SELECT id, app, version, build, first_upload, last_upload, source_commit FROM build
            WHERE ($1 IS NULL OR app = $1)
                AND ($2 IS NULL OR id IN (SELECT build FROM build_image WHERE image = $2))
                AND ($3 IS NULL OR (app, version, build) IN (
                    SELECT * FROM unnest($3::text[], $4::text[], $5::text[])))
            ORDER BY last_upload DESC, id DESC
            """,
            [
                .optional(query.app?.asKey, .text), .optional(query.image?.bytes, .bytea),
                .optional(query.builds?.map(\.app.asKey), .array(of: .text)),
                .optional(query.builds?.map(\.version.asKey), .array(of: .text)),
                .optional(query.builds?.map(\.build.asKey), .array(of: .text)),
            ])
        let ids = query.includesImages ? try builds.map { try $0.value(0, .int8) } : []
        let images = try await images(of: ids)
        let files = try await files(of: ids)
        return try builds.map { row in
            let app = try row.value(1, .text)
            let access = DebugFileAccess.only(app)
            return BuildContents(
                build: Build(
                    app: app, version: try row.value(2, .text), build: try row.value(3, .text)),
                commit: try row.optional(6, .text).flatMap { SourceCommit($0) },
                firstUpload: UnixTime(rawValue: try row.value(4, .int8)),
                lastUpload: UnixTime(rawValue: try row.value(5, .int8)),
                images: images[try row.value(0, .int8), default: []].map { image in
                    (image, access.choice(among: files[image.image, default: []]))
                })
        }
    }

    private func images(of builds: [Int64]) async throws -> [Int64: [BuildImage]] {
        let rows = try await transaction.rows(
            """
            SELECT build, image, architecture, name FROM build_image WHERE build = ANY ($1)
            ORDER BY name, architecture, image
            """, [.value(builds, .array(of: .int8))])
        var images: [Int64: [BuildImage]] = [:]
        for row in rows {
            images[try row.value(0, .int8), default: []].append(
                BuildImage(
                    image: try ImageID(column: try row.value(1, .bytea)),
                    architecture: try row.value(2, .text), name: try row.value(3, .text)))
        }
        return images
    }

    private func files(of builds: [Int64]) async throws -> [ImageID: [StoredDebugFile]] {
        let rows = try await transaction.rows(
            """
            SELECT \(StoredDebugFile.columns) FROM debug_file
            WHERE image IN (SELECT image FROM build_image WHERE build = ANY ($1))
            ORDER BY architecture, id
            """, [.value(builds, .array(of: .int8))])
        let byImage = try Dictionary(grouping: rows) { try $0.value(1, .bytea) }
        var files: [ImageID: [StoredDebugFile]] = [:]
        for (image, rows) in byImage {
            files[try ImageID(column: image)] = try rows.map {
                try StoredDebugFile($0, readsCompleteness: rows.count > 1)
            }
        }
        return files
    }

    /// Returns the files of the build's app that belong to no other build of the app, or `nil` if
    /// the build is unknown.
    ///
    /// - Parameter limit: The maximum number of files, or `nil` for all.
    func exclusiveFiles(of build: Build, limit: Int? = nil) async throws -> [StoredDebugFile]? {
        guard let id = try await id(of: build) else { return nil }
        return try await transaction.rows(
            """
            SELECT \(StoredDebugFile.columns) FROM debug_file WHERE app = $2 AND image IN (
                SELECT image FROM build_image own WHERE build = $1 AND NOT EXISTS (
                    SELECT 1 FROM build_image JOIN build ON build.id = build_image.build
                    WHERE image = own.image AND build.app = $2 AND build.id <> own.build))
            ORDER BY image, architecture, id LIMIT $3
            """,
            [
                .value(id, .int8), .value(build.app.asKey, .text),
                .optional(limit.map(Int64.init), .int8),
            ]
        ).map { try StoredDebugFile($0) }
    }

    /// Removes some files that belong to no other build of the app, and with the last of them the
    /// build.
    ///
    /// - Returns: The removed files, or `nil` if the build is unknown.
    func removeStep(_ build: Build) async throws -> RemovalStep? {
        try await SymbolChangeTable(transaction).lock()
        guard let files = try await exclusiveFiles(of: build, limit: RemovalStep.limit) else {
            return nil
        }
        let isLast = files.count < RemovalStep.limit
        if isLast {
            try await transaction.rows(
                "DELETE FROM build WHERE app = $1 AND version = $2 AND build = $3",
                build.parameters)
        }
        for file in files { _ = try await DebugFileTable(transaction).remove(file) }
        return RemovalStep(files: files, isLast: isLast)
    }

    private func id(of build: Build) async throws -> Int64? {
        try await transaction.rows(
            "SELECT id FROM build WHERE app = $1 AND version = $2 AND build = $3",
            build.parameters
        ).first?.value(0, .int8)
    }
}

extension Build {
    fileprivate var parameters: [Parameter] {
        [
            .value(app.asKey, .text), .value(version.asKey, .text), .value(build.asKey, .text),
        ]
    }
}
