import CallStacks
import Foundation
import GRDB
import Ingest
import SymbolIntake

/// The table of the latest changes of symbols, in order.
///
/// A change may be stored after the worker looked its image up and before the diagnostics of the
/// run wait for it. In this case it finds none of them. So the commit of a run asks this table for
/// the changes that the lookups did not reflect.
struct SymbolChangeTable {
    let db: Database

    init(_ db: Database) { self.db = db }

    /// The minimum number of changes kept.
    static let limit: Int64 = 10_000

    /// Adds the change that a file was stored or got better names, and applies it to the
    /// diagnostics that wait for its image and may use the file.
    ///
    /// - Returns: The number of the change.
    func add(_ file: StoredDebugFile) throws -> Int64 {
        try add(file, SymbolChangeEffect(storing: file))
    }

    /// Adds the removal of a file, and applies it to the diagnostics that may have used the file.
    func addRemoval(of file: StoredDebugFile) throws { _ = try add(file, .resumes) }

    private func add(_ file: StoredDebugFile, _ effect: SymbolChangeEffect) throws -> Int64 {
        let row = try db.first(
            "INSERT INTO symbol_change (image, app, effect) VALUES (?, ?, ?) RETURNING number",
            [Data(file.image.bytes), file.owner.column, effect.rawValue])
        guard let number: Int64 = row?[0] else {
            throw DatabaseError(message: "RETURNING gave no row")
        }
        try db.run("DELETE FROM symbol_change WHERE number <= ?", [number - Self.limit])
        try MissingImageTable(db).awaken(file.image, of: file.owner, effect)
        return number
    }

    /// Returns the number of the last change, or 0 if there was none.
    func last() throws -> Int64 {
        try db.first("SELECT coalesce(max(number), 0) FROM symbol_change")?[0] ?? 0
    }

    /// Returns the changes after the one with a number.
    func changes(after number: Int64) throws -> SymbolChangeList {
        let last = try last()
        guard try reaches(backTo: number) else {
            return SymbolChangeList(images: nil, lastNumber: last)
        }
        let rows = try db.all(
            "SELECT DISTINCT image FROM symbol_change WHERE number > ?", [number])
        return SymbolChangeList(
            images: Set(try rows.map { try ImageID(column: $0[0]) }), lastNumber: last)
    }

    /// Whether all changes after a number are still stored.
    func reaches(backTo number: Int64) throws -> Bool {
        let first: Int64? = try db.first("SELECT min(number) FROM symbol_change")?[0]
        return first.map { $0 <= number + 1 } ?? true
    }
}

extension SymbolChangeEffect {
    init(column: Int64) throws(DatabaseProblem) {
        guard let effect = Int16(exactly: column).flatMap(Self.init(rawValue:)) else {
            throw DatabaseProblem.damage("a change of symbols")
        }
        self = effect
    }
}
