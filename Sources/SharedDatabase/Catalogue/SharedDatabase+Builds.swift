public import CallStacks
import PostgreSQL
public import SymbolIntake

extension SharedDatabase {
    public func builds(_ query: BuildQuery) async throws(StorageError) -> [BuildContents] {
        try await asCatalogue {
            try await pool.withTransaction(
                TransactionOptions(isolation: .repeatableRead, isReadOnly: true)
            ) { transaction in try await BuildTable(transaction).builds(query) }
        }
    }

    public func exclusiveFiles(
        of build: Build
    ) async throws(StorageError) -> [StoredDebugFile]? {
        try await asCatalogue {
            try await pool.withTransaction(TransactionOptions(isReadOnly: true)) { transaction in
                try await BuildTable(transaction).exclusiveFiles(of: build)
            }
        }
    }

    public func remove(_ build: Build) async throws(StorageError) -> [StoredDebugFile]? {
        try await asCatalogue {
            try await removeInSteps { try await BuildTable($0).removeStep(build) }
        }
    }

    /// Repeats a step, each time in its own transaction, until nothing remains.
    ///
    /// - Returns: The removed files, or `nil` if there was nothing to remove.
    private func removeInSteps(
        _ step: (Transaction) async throws -> RemovalStep?
    ) async throws -> [StoredDebugFile]? {
        var removed: [StoredDebugFile]?
        while true {
            let result = try await pool.withTransaction { try await step($0) }
            guard let result else { return removed }
            removed = (removed ?? []) + result.files
            if result.isLast { return removed }
        }
    }

    public func appImages() async throws(StorageError) -> [String: Set<ImageID>] {
        try await asCatalogue {
            let rows = try await read(
                """
                SELECT DISTINCT build.app, image
                FROM build_image JOIN build ON build.id = build_image.build
                """, limit: .large)
            var images: [String: Set<ImageID>] = [:]
            for row in rows {
                images[try row.value(0, .text), default: []]
                    .insert(try ImageID(column: try row.value(1, .bytea)))
            }
            return images
        }
    }

    public func add(
        _ images: [ImageID], ofSystem system: SystemBuild?
    ) async throws(StorageError) {
        try await asCatalogue {
            try await pool.withTransaction { transaction in
                try await SystemImageTable(transaction).add(images, of: system)
            }
        }
    }

    public func systems() async throws(StorageError) -> [StoredSystem] {
        try await asCatalogue {
            try await read(
                SystemImageTable.systems, [.value(StoredDebugFile.systemKind, .text)],
                limit: .large
            ).map { row in
                StoredSystem(
                    system: SystemBuild(
                        name: try row.value(0, .text), build: try row.value(1, .text),
                        architecture: try row.value(2, .text)),
                    imageCount: Int(try row.value(3, .int8)),
                    storedByteCount: try row.value(4, .int8))
            }
        }
    }

    public func removeSystem(build: String) async throws(StorageError) -> [StoredDebugFile]? {
        try await asCatalogue {
            try await removeInSteps { try await SystemImageTable($0).removeStep(build: build) }
        }
    }

    public func add(_ refusals: [UploadRefusal]) async throws(StorageError) {
        let refusals = refusals.suffix(UploadRefusal.limit)
        guard !refusals.isEmpty else { return }
        try await asCatalogue {
            _ = try await pool.transact([
                try insertion(of: Array(refusals)),
                try Statement(
                    """
                    DELETE FROM upload_refusal WHERE id <= (
                        SELECT id FROM upload_refusal ORDER BY id DESC LIMIT 1 OFFSET $1)
                    """, [.value(Int64(UploadRefusal.limit), .int8)]),
            ])
        }
    }

    private func insertion(of refusals: [UploadRefusal]) throws -> Statement {
        try Statement(
            """
            INSERT INTO upload_refusal (at, name, reason, app, version, build)
            SELECT at, name, reason, app, version, build FROM unnest(
                $1::int8[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]
            ) WITH ORDINALITY AS new (at, name, reason, app, version, build, position)
            ORDER BY position
            """,
            [
                .value(refusals.map(\.time.rawValue), .array(of: .int8)),
                .value(refusals.map(\.name.withoutNUL), .array(of: .text)),
                .value(refusals.map(\.reason.withoutNUL), .array(of: .text)),
                .value(refusals.map(\.app?.withoutNUL), .nullableArray(of: .text)),
                .value(refusals.map(\.version?.withoutNUL), .nullableArray(of: .text)),
                .value(refusals.map(\.build?.withoutNUL), .nullableArray(of: .text)),
            ])
    }

    public func refusals(app: String?) async throws(StorageError) -> [UploadRefusal] {
        try await asCatalogue {
            try await read(
                """
                SELECT at, name, reason, app, version, build FROM upload_refusal
                WHERE $1 IS NULL OR app = $1 ORDER BY id DESC
                """, [.optional(app?.withoutNUL, .text)]
            ).map { row in
                UploadRefusal(
                    time: UnixTime(rawValue: try row.value(0, .int8)),
                    name: try row.value(1, .text), reason: try row.value(2, .text),
                    app: try row.optional(3, .text), version: try row.optional(4, .text),
                    build: try row.optional(5, .text))
            }
        }
    }
}
