import CallStacks
import DebugFiles
import PostgreSQL
import SymbolIntake

/// The table of uploaded debug files, in a transaction.
struct DebugFileTable {
    let transaction: Transaction

    init(_ transaction: Transaction) { self.transaction = transaction }

    /// Adds a file, or replaces a worse one.
    ///
    /// Additions, removals and the changes that they record happen one at a time in the cluster, see
    /// ``SymbolChangeTable/lock()``.
    func add(_ file: StoredDebugFile, replaces: Bool) async throws -> CatalogueChange {
        try await SymbolChangeTable(transaction).lock()
        let old = try await storedFile(like: file)
        guard let old else {
            try await insert(file)
            return .added(number: try await SymbolChangeTable(transaction).add(file))
        }
        guard replaces || file.isBetter(than: old) else { return .kept(old) }
        _ = try await delete(old)
        try await insert(file.replacing(old))
        return .replaced(old, number: try await SymbolChangeTable(transaction).add(file))
    }

    private func storedFile(like file: StoredDebugFile) async throws -> StoredDebugFile? {
        try await transaction.rows(
            """
            SELECT \(StoredDebugFile.columns) FROM debug_file
            WHERE image = $1 AND architecture = $2 AND app = $3
            """,
            [
                .value(file.image.bytes, .bytea), .value(file.architecture, .text),
                .value(file.owner.column, .text),
            ]
        ).first.map { try StoredDebugFile($0) }
    }

    private func insert(_ file: StoredDebugFile) async throws {
        try await transaction.rows(
            """
            INSERT INTO debug_file (
                app, image, architecture, name, kind, quality, completeness, blob, size, stored,
                upload, last_use, warnings, \(StoredExecutable.columns),
                \(StoredCompanions.columns))
            VALUES (
                $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
                $20, $21, $22)
            """, try file.parameters)
    }

    /// - Returns: Whether the file is stored and had no executable.
    func keep(_ executable: StoredExecutable, beside file: StoredDebugFile) async throws -> Bool {
        try await transaction.rows(
            """
            UPDATE debug_file SET (\(StoredExecutable.columns)) = ($1, $2, $3, $4, $5)
            WHERE image = $6 AND architecture = $7 AND app = $8 AND blob = $9
                AND executable_blob IS NULL
            """, StoredExecutable.parameters(executable) + file.keyParameters
        ).affectedRows > 0
    }

    func files(of image: ImageID) async throws -> [StoredDebugFile] {
        try await transaction.rows(StoredDebugFile.ofImages, StoredDebugFile.parameters([image]))
            .map { try StoredDebugFile($0) }
    }

    /// - Parameter owner: The owner, or `nil` for all owners.
    func remove(_ image: ImageID, of owner: SymbolOwner?) async throws -> [StoredDebugFile] {
        try await SymbolChangeTable(transaction).lock()
        let files = try await files(of: image).filter {
            owner == nil || $0.owner.column == owner?.column
        }
        for file in files { _ = try await remove(file) }
        return files
    }

    /// - Returns: Whether it existed.
    func remove(_ file: StoredDebugFile) async throws -> Bool {
        try await SymbolChangeTable(transaction).lock()
        guard try await delete(file) else { return false }
        if file.isOfSystem { try await SystemImageTable(transaction).removeUnstored(file.image) }
        try await SymbolChangeTable(transaction).addRemoval(of: file)
        return true
    }

    private func delete(_ file: StoredDebugFile) async throws -> Bool {
        try await transaction.rows(
            """
            DELETE FROM debug_file
            WHERE image = $1 AND architecture = $2 AND app = $3 AND blob = $4
            """,
            file.keyParameters
        ).affectedRows > 0
    }
}
