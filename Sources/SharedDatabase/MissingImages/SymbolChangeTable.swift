import CallStacks
import Ingest
import PostgreSQL
import SymbolIntake

/// The table of the latest changes of symbols, in order.
///
/// A change may be stored after a worker looked its image up and before the diagnostics of the run
/// wait for it. In this case it finds none of them. So the commit of a run asks this table for the
/// changes that the lookups did not reflect.
struct SymbolChangeTable {
    let transaction: Transaction

    init(_ transaction: Transaction) { self.transaction = transaction }

    /// The minimum number of changes kept.
    static let limit: Int64 = 10_000

    /// Waits for other changes and for commits of runs, so that changes are committed in the order
    /// of their numbers. The lock is released at the end of the transaction.
    func lock() async throws {
        _ = try await transaction.execute(AdvisoryLock.symbolChanges.statement)
    }

    /// Adds the change that a file was stored or got better names, and applies it to the
    /// diagnostics that wait for its image and may use the file. Call this while holding the lock.
    ///
    /// - Returns: The number of the change.
    func add(_ file: StoredDebugFile) async throws -> Int64 {
        try await add(file, SymbolChangeEffect(storing: file))
    }

    /// Adds the removal of a file, and applies it to the diagnostics that may have used the file.
    /// Call this while holding the lock.
    func addRemoval(of file: StoredDebugFile) async throws { _ = try await add(file, .resumes) }

    private func add(_ file: StoredDebugFile, _ effect: SymbolChangeEffect) async throws -> Int64 {
        let rows = try await transaction.rows(
            "INSERT INTO symbol_change (image, app, effect) VALUES ($1, $2, $3) RETURNING seq",
            [
                .value(file.image.bytes, .bytea), .value(file.owner.column, .text),
                .value(effect.rawValue, .int2),
            ])
        guard let number = try rows.first?.value(0, .int8) else {
            throw JournalError.damage("a change of symbols")
        }
        try await transaction.rows(
            "DELETE FROM symbol_change WHERE seq <= $1", [.value(number - Self.limit, .int8)])
        try await apply(file, effect)
        return number
    }

    /// Applies a change to the missing images for which the file may be used.
    private func apply(_ file: StoredDebugFile, _ effect: SymbolChangeEffect) async throws {
        let app = file.owner.column
        let found = try await transaction.rows(
            """
            SELECT id, image, app, stored FROM missing_image
            WHERE image = $1 AND ($2 = '' OR app IN ('', $2)) ORDER BY id FOR UPDATE
            """, [.value(file.image.bytes, .bytea), .value(app, .text)]
        ).map { try MissingImageRow($0) }
        try await awaken(found.map { ($0, effect) })
    }

    /// Applies changes to missing images, whose rows are locked. If the waits for an image are
    /// suspended and all its symbols are still stored, nothing changes.
    func awaken(_ changes: [(image: MissingImageRow, effect: SymbolChangeEffect)]) async throws {
        var awakened: [(image: MissingImageRow, effect: SymbolChangeEffect)] = []
        for change in changes {
            var isStored = change.image.isStored
            if isStored, try await isMissing(change.image) {
                isStored = false
                try await transaction.rows(
                    "UPDATE missing_image SET stored = false WHERE id = $1",
                    [.value(change.image.id, .int8)])
            }
            if !isStored, change.effect != .resumes { awakened.append(change) }
        }
        guard !awakened.isEmpty else { return }
        try await transaction.rows(
            """
            INSERT INTO awakening (image, effect)
            SELECT image, effect FROM unnest($1::int8[], $2::int2[]) AS new (image, effect)
            WHERE (SELECT sum(waiting) FROM missing_tally t WHERE t.image = new.image) > 0
            ON CONFLICT (image) DO UPDATE SET effect = least(awakening.effect, excluded.effect)
            """,
            [
                .value(awakened.map(\.image.id), .array(of: .int8)),
                .value(awakened.map(\.effect.rawValue), .array(of: .int2)),
            ])
    }

    /// Whether the diagnostics of a missing image lack some of its symbols.
    func isMissing(_ row: MissingImageRow) async throws -> Bool {
        let access = row.app.map(DebugFileAccess.only) ?? .everything
        let files = try await DebugFileTable(transaction).files(of: row.image)
        return access.choice(among: files).map { !$0.isSufficient } ?? true
    }

    /// Selects the number of the last change, or 0 if there was none.
    static let last = "SELECT coalesce(max(seq), 0) FROM symbol_change"

    /// Selects the number of the last change, and whether all changes after `$1` are stored.
    static let ends = """
        SELECT coalesce(max(seq), 0), coalesce(min(seq) <= $1 + 1, true) FROM symbol_change
        """
}

/// An image that diagnostics wait for, as stored.
struct MissingImageRow {
    let id: Int64
    let image: ImageID
    /// The only app whose uploads may be used in addition to those for everyone, or `nil` for any
    /// app.
    let app: String?
    /// Whether all symbols of a system image are stored, so that its diagnostics wait only if they
    /// are removed.
    let isStored: Bool

    /// Reads the columns `id, image, app, stored`.
    init(_ row: Row) throws {
        id = try row.value(0, .int8)
        image = try ImageID(column: try row.value(1, .bytea))
        app = SymbolOwner(column: try row.value(2, .text)).app
        isStored = try row.value(3, .bool)
    }
}
