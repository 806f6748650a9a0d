import CallStacks
import PostgreSQL
import SymbolIntake

/// The table of the systems that stored system images belong to, in a transaction.
///
/// An image may belong to several systems. It has rows only while a file of it is stored.
struct SystemImageTable {
    private let transaction: Transaction

    init(_ transaction: Transaction) { self.transaction = transaction }

    /// - Parameter system: The system, or `nil` for those of the diagnostics that wait for the
    ///   images, which are recorded only for images without a system.
    func add(_ images: [ImageID], of system: SystemBuild?) async throws {
        let parameters =
            StoredDebugFile.parameters(images) + [.value(StoredDebugFile.systemKind, .text)]
        guard let system else { return try await addWanted(parameters) }
        try await transaction.rows(
            """
            INSERT INTO system_image (image, build, architecture, os)
            SELECT DISTINCT ON (1, 2, 3) image, $3::text, coalesce(nullif($4, ''), architecture),
                $5::text
            FROM debug_file WHERE image = ANY ($1) AND kind = $2 ORDER BY 1, 2, 3
            ON CONFLICT (image, build, architecture) DO UPDATE SET os = excluded.os
            WHERE excluded.os <> ''
            """,
            parameters + [
                .value(system.build.asKey, .text),
                .value(system.architecture.asKey, .text),
                .value(system.name.withoutNUL, .text),
            ])
    }

    private func addWanted(_ parameters: [Parameter]) async throws {
        try await transaction.rows(
            """
            INSERT INTO system_image (image, build, architecture, os)
            SELECT DISTINCT ON (1, 2, 3) missing.image, system.build, system.architecture, system.os
            FROM missing_image missing JOIN missing_system system ON system.image = missing.id
            WHERE missing.image = ANY ($1) AND system.build <> ''
                AND EXISTS (
                    SELECT 1 FROM debug_file f WHERE f.image = missing.image AND f.kind = $2)
                AND NOT EXISTS (SELECT 1 FROM system_image s WHERE s.image = missing.image)
            ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING
            """, parameters)
    }

    /// Selects the systems with stored images, the newest builds last.
    static let systems = """
        SELECT min(os), build, architecture, count(*), coalesce(sum((
            SELECT max(stored) FROM debug_file f
            WHERE f.image = system_image.image AND f.kind = $1)), 0)::int8
        FROM system_image GROUP BY build, architecture ORDER BY build, architecture
        """

    /// Removes some images of a system, and those of their files that belong to no other system.
    ///
    /// - Returns: The removed files, or `nil` if no image of the build is stored.
    func removeStep(build: String) async throws -> RemovalStep? {
        try await SymbolChangeTable(transaction).lock()
        let images = Set(
            try await transaction.rows(
                """
                DELETE FROM system_image WHERE build = $1 AND image IN (
                    SELECT DISTINCT image FROM system_image WHERE build = $1
                    ORDER BY image LIMIT \(RemovalStep.limit))
                RETURNING image
                """, [.value(build.asKey, .text)]
            ).map { try $0.value(0, .bytea) })
        guard !images.isEmpty else { return nil }
        let files = try await transaction.rows(
            """
            SELECT \(StoredDebugFile.columns) FROM debug_file f
            WHERE image = ANY ($1) AND kind = $2
                AND NOT EXISTS (SELECT 1 FROM system_image s WHERE s.image = f.image)
            ORDER BY image, architecture, id
            """,
            [
                .value(Array(images), .array(of: .bytea)),
                .value(StoredDebugFile.systemKind, .text),
            ]
        ).map { try StoredDebugFile($0) }
        for file in files { _ = try await DebugFileTable(transaction).remove(file) }
        return RemovalStep(files: files, isLast: images.count < RemovalStep.limit)
    }

    /// Forgets the systems of an image without a stored file.
    func removeUnstored(_ image: ImageID) async throws {
        try await transaction.rows(
            """
            DELETE FROM system_image WHERE image = $1
                AND NOT EXISTS (SELECT 1 FROM debug_file WHERE image = $1 AND kind = $2)
            """,
            [.value(image.bytes, .bytea), .value(StoredDebugFile.systemKind, .text)])
    }
}
