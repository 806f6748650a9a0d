public import CallStacks
import Ingest
import PostgreSQL
public import SymbolIntake

extension SharedDatabase: Catalogue {
    public func add(
        _ file: StoredDebugFile, replaces: Bool
    ) async throws(StorageError) -> CatalogueChange {
        try await asCatalogue {
            try await pool.withTransaction { transaction in
                try await DebugFileTable(transaction).add(file, replaces: replaces)
            }
        }
    }

    public func recordChange(of file: StoredDebugFile) async throws(StorageError) -> Int64 {
        try await asCatalogue {
            try await pool.withTransaction { transaction in
                try await SymbolChangeTable(transaction).lock()
                return try await SymbolChangeTable(transaction).add(file)
            }
        }
    }

    public func lastSymbolChange() async throws(StorageError) -> Int64 {
        try await asCatalogue {
            try await read(SymbolChangeTable.last).first?.value(0, .int8) ?? 0
        }
    }

    public func symbolChanges(
        after number: Int64
    ) async throws(StorageError) -> SymbolChangeList {
        try await asCatalogue {
            let parameter = Parameter.value(number, .int8)
            let ends = try await read(SymbolChangeTable.ends, [parameter]).first
            guard let ends, try ends.value(1, .bool) else {
                return SymbolChangeList(images: nil, lastNumber: try ends?.value(0, .int8) ?? 0)
            }
            let last = try ends.value(0, .int8)
            let rows = try await read(
                "SELECT DISTINCT image FROM symbol_change WHERE seq > $1 AND seq <= $2",
                [parameter, .value(last, .int8)])
            return SymbolChangeList(
                images: Set(try rows.map { try ImageID(column: try $0.value(0, .bytea)) }),
                lastNumber: last)
        }
    }

    public func add(
        _ images: [BuildImage], to build: Build, commit: SourceCommit?, at now: UnixTime
    ) async throws(StorageError) {
        try await asCatalogue {
            try await pool.withTransaction { transaction in
                try await BuildTable(transaction).add(images, to: build, commit: commit, at: now)
            }
        }
    }

    public func debugFiles(of image: ImageID) async throws(StorageError) -> [StoredDebugFile] {
        try await debugFiles(of: [image])
    }

    public func debugFiles(
        of images: [ImageID]
    ) async throws(StorageError) -> [StoredDebugFile] {
        let files = try await filesByImage(images)
        return images.flatMap { files[$0, default: []] }
    }

    private func filesByImage(
        _ images: [ImageID]
    ) async throws(StorageError) -> [ImageID: [StoredDebugFile]] {
        let files = try await self.files(
            StoredDebugFile.ofImages, StoredDebugFile.parameters(images))
        return Dictionary(grouping: files, by: \.image)
    }

    private func files(
        _ text: String, _ parameters: [Parameter]
    ) async throws(StorageError) -> [StoredDebugFile] {
        try await asCatalogue {
            try await read(text, parameters, limit: .large).map { try StoredDebugFile($0) }
        }
    }

    public func images(
        startingWith prefix: [UInt8], limit: Int
    ) async throws(StorageError) -> [ImageID] {
        // No identity with this prefix is longer than the padded end.
        let end = prefix + Array(repeating: 0xff, count: ImageID.lengthLimit)
        return try await asCatalogue {
            try await read(
                """
                SELECT DISTINCT image FROM debug_file WHERE image >= $1 AND image <= $2
                ORDER BY image LIMIT $3
                """,
                [
                    .value(prefix, .bytea), .value(end, .bytea),
                    .value(Int64(max(limit, 0)), .int8),
                ], limit: .large
            ).map { try ImageID(column: try $0.value(0, .bytea)) }
        }
    }

    public func missing(
        among images: [ImageID], for access: DebugFileAccess
    ) async throws(StorageError) -> [ImageID] {
        let files = try await filesByImage(images)
        let access = access.boundApp.map { DebugFileAccess.only($0.asKey) } ?? access
        let chosen = images.map { access.choice(among: files[$0, default: []]) }
        let damaged = try await damagedBlobs(among: chosen.compactMap { $0?.blob })
        return zip(images, chosen).filter { _, file in
            file.map { !$0.isSufficient || damaged.contains($0.blob) } ?? true
        }.map(\.0)
    }

    /// Returns the blobs whose objects are missing or have wrong bytes.
    private func damagedBlobs(among blobs: [String]) async throws(StorageError) -> Set<String> {
        guard !blobs.isEmpty else { return [] }
        return try await asCatalogue {
            Set(
                try await read(
                    "SELECT name FROM blob WHERE name = ANY ($1) AND damaged",
                    [.value(blobs, .array(of: .text))], limit: .large
                ).map { try $0.value(0, .text) })
        }
    }

    public func debugFiles(
        _ query: DebugFileQuery
    ) async throws(StorageError) -> [StoredDebugFile] {
        let list = DebugFileListStatement(query)
        return try await files(list.text, list.parameters)
    }

    public func keep(
        _ executable: StoredExecutable, beside file: StoredDebugFile
    ) async throws(StorageError) -> Bool {
        try await asCatalogue {
            try await pool.withTransaction { transaction in
                try await DebugFileTable(transaction).keep(executable, beside: file)
            }
        }
    }

    public func remove(
        _ image: ImageID, of owner: SymbolOwner?
    ) async throws(StorageError) -> [StoredDebugFile] {
        try await asCatalogue {
            try await pool.withTransaction { transaction in
                try await DebugFileTable(transaction).remove(image, of: owner)
            }
        }
    }

    public func remove(_ file: StoredDebugFile) async throws(StorageError) -> Bool {
        try await asCatalogue {
            try await pool.withTransaction { transaction in
                try await DebugFileTable(transaction).remove(file)
            }
        }
    }

    public func isReferenced(blob: String) async throws(StorageError) -> Bool {
        try await asCatalogue {
            try await read(
                """
                SELECT 1 FROM debug_file
                WHERE blob = $1 OR executable_blob = $1 OR companions_blob = $1 LIMIT 1
                """,
                [.value(blob, .text)]
            ).count > 0
        }
    }

    public func markUsed(
        _ files: Set<DebugFileKey>, at now: UnixTime
    ) async throws(StorageError) {
        guard !files.isEmpty else { return }
        let files = Array(files)
        try await asCatalogue {
            // Rows are locked in the order of their ids, so that nodes do not deadlock.
            try await write(
                """
                WITH used AS (
                    SELECT id FROM debug_file JOIN unnest($1::bytea[], $2::text[], $3::text[])
                        AS file (image, architecture, used) USING (image, architecture)
                    WHERE used IN (blob, executable_blob) AND last_use < $4
                    ORDER BY id FOR UPDATE OF debug_file
                ) UPDATE debug_file SET last_use = greatest(last_use, $4)
                FROM used WHERE used.id = debug_file.id
                """,
                [
                    .value(files.map(\.image.bytes), .array(of: .bytea)),
                    .value(files.map(\.architecture), .array(of: .text)),
                    .value(files.map(\.blob), .array(of: .text)), .value(now.rawValue, .int8),
                ])
        }
    }

    public func leastRecentlyUsed(count: Int) async throws(StorageError) -> [StoredDebugFile] {
        try await files(
            "SELECT \(StoredDebugFile.columns) FROM debug_file ORDER BY last_use, id LIMIT $1",
            [.value(Int64(max(count, 0)), .int8)])
    }

    public func storedBytes() async throws(StorageError) -> Int64 {
        try await asCatalogue {
            try await read(
                """
                SELECT coalesce(sum(stored), 0)::int8
                FROM (
                    SELECT max(stored) AS stored FROM (
                        SELECT blob, stored FROM debug_file
                        UNION ALL SELECT executable_blob, executable_stored FROM debug_file
                        WHERE executable_blob IS NOT NULL
                        UNION ALL SELECT companions_blob, companions_stored FROM debug_file
                        WHERE companions_blob IS NOT NULL
                    ) file GROUP BY blob) blob
                """
            ).first?.value(0, .int8) ?? 0
        }
    }
}

/// Runs `body`, and converts its errors to catalogue errors.
@discardableResult
func asCatalogue<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async throws(StorageError) -> Value {
    do {
        return try await body()
    } catch {
        let error = JournalError(error)
        throw StorageError(error.problem, isFull: error.reason == .full)
    }
}
