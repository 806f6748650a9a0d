import CallStacks
import Foundation
import GRDB
import Ingest
import SymbolIntake

/// Marks the diagnostics that wait for an image whose symbols have changed.
///
/// There may be hundreds of thousands, and marking them in one transaction would delay new entries.
/// So the transaction of the change only records that the image's diagnostics must be marked, and
/// later transactions mark some of them each.
extension MissingImageTable {
    private static let stepLimit = 100

    /// Applies a change of symbols to the diagnostics that wait for an image and may use a file: those
    /// of all apps if the file belongs to everyone, otherwise those of the file's app and those that
    /// may use any app's file.
    func awaken(
        _ image: ImageID, of owner: SymbolOwner, _ effect: SymbolChangeEffect
    ) throws {
        let app = owner.column
        let rows = try db.all(
            "SELECT id FROM missing_image WHERE image = ? AND (? = '' OR app IN ('', ?))",
            [Data(image.bytes), app, app])
        for row in rows { try awaken(row[0], effect) }
    }

    /// Applies the changes of some images to the diagnostics that wait for them.
    ///
    /// - Parameters:
    ///   - ids: The numbers of missing images.
    ///   - number: The last change that the diagnostics reflect.
    func awaken(_ ids: [Int64], changedAfter number: Int64) throws {
        guard !ids.isEmpty, try SymbolChangeTable(db).last() > number else { return }
        guard try SymbolChangeTable(db).reaches(backTo: number) else {
            // Any of them may have changed.
            for id in ids { try awaken(id, .resends) }
            return
        }
        let wanted = Set(ids)
        let changed = try db.all(
            """
            SELECT missing_image.id, min(effect)
            FROM symbol_change AS change CROSS JOIN missing_image
                ON missing_image.image = change.image
                    AND (change.app = '' OR missing_image.app IN ('', change.app))
            WHERE number > ? GROUP BY missing_image.id
            """, [number])
        for row in changed where wanted.contains(row[0]) {
            try awaken(row[0], SymbolChangeEffect(column: row[1]))
        }
    }

    /// Applies a change to the diagnostics of a missing image. If their waits are suspended and all
    /// symbols are still stored, nothing changes.
    private func awaken(_ id: Int64, _ effect: SymbolChangeEffect) throws {
        try resumeWaits(for: id)
        guard effect != .resumes else { return }
        try db.run(
            """
            INSERT INTO awakening (image, effect)
            SELECT id, ? FROM missing_image WHERE id = ? AND stored = 0
            ON CONFLICT (image) DO UPDATE SET effect = min(effect, excluded.effect)
            """, [effect.rawValue, id])
    }

    func awakened() throws -> [ImageID] {
        try db.all(
            """
            SELECT DISTINCT missing_image.image
            FROM awakening CROSS JOIN missing_image ON missing_image.id = awakening.image
            ORDER BY missing_image.image
            """
        ).map { try ImageID(column: $0[0]) }
    }

    /// Marks some of the diagnostics that wait for an image, or suspends all their waits.
    func stepAwakening(of image: ImageID, _ terms: ResendTerms) throws -> AwakeningStep {
        guard let awakening = try awakening(of: image) else { return AwakeningStep() }
        var step = AwakeningStep()
        if awakening.effect == .suspends, !terms.includesSystem {
            try suspendWaits(for: awakening.id)
            try db.run("DELETE FROM awakening WHERE image = ?", [awakening.id])
        } else {
            step.markedCount = try mark(
                waitingFor: awakening.id, since: terms.oldest, due: terms.due)
        }
        step.isLast = try self.awakening(of: image) == nil
        return step
    }

    /// Ends the waits for a system image until its symbols are removed, if all of them are stored.
    /// Otherwise the diagnostics still wait for all symbols, because without a revision nothing would
    /// make them wait again.
    private func suspendWaits(for id: Int64) throws {
        let row = try db.first("SELECT image, app FROM missing_image WHERE id = ?", [id])
        guard let row, try !isMissing(row) else { return }
        try db.run("UPDATE missing_image SET stored = 1 WHERE id = ?", [id])
    }

    /// Makes diagnostics whose waits are suspended wait again, unless all symbols are still stored.
    private func resumeWaits(for id: Int64) throws {
        let row = try db.first(
            "SELECT image, app FROM missing_image WHERE id = ? AND stored = 1", [id])
        guard let row, try isMissing(row) else { return }
        try db.run("UPDATE missing_image SET stored = 0 WHERE id = ?", [id])
    }

    /// Whether the diagnostics of a missing image lack some of its symbols.
    private func isMissing(_ row: Row) throws -> Bool {
        let app = SymbolOwner(column: row[1]).app
        return try DebugFileTable(db).isMissing(
            ImageID(column: row[0]), for: app.map(DebugFileAccess.only) ?? .everything)
    }

    private func awakening(
        of image: ImageID
    ) throws -> (id: Int64, effect: SymbolChangeEffect)? {
        let row = try db.first(
            """
            SELECT awakening.image, effect
            FROM missing_image CROSS JOIN awakening ON awakening.image = missing_image.id
            WHERE missing_image.image = ? LIMIT 1
            """, [Data(image.bytes)])
        return try row.map { ($0[0], try SymbolChangeEffect(column: $0[1])) }
    }

    /// Marks some of the diagnostics that wait for a missing image, and removes the image after the
    /// last one.
    ///
    /// - Parameter oldest: The arrival of the oldest diagnostic that is marked. The others only
    ///   stop waiting.
    /// - Returns: The number of marked diagnostics.
    private func mark(
        waitingFor id: Int64, since oldest: UnixTime, due: UnixTime
    ) throws -> Int {
        let waiting = try db.all(
            """
            SELECT entry, position FROM wait WHERE image = ? ORDER BY entry, position LIMIT ?
            """, [id, Self.stepLimit])
        var markedCount = 0
        for row in waiting {
            try db.run(
                """
                UPDATE diagnostic SET marked = max(coalesce(marked, 0), ?)
                WHERE entry = ? AND position = ? AND arrival >= ?
                """, [due.rawValue, row[0] as Int64, row[1] as Int64, oldest.rawValue])
            markedCount += db.changesCount
            try db.run(
                "DELETE FROM wait WHERE entry = ? AND position = ? AND image = ?",
                [row[0] as Int64, row[1] as Int64, id])
        }
        if waiting.count < Self.stepLimit {
            // Its awakening is removed with it.
            try db.run("DELETE FROM missing_image WHERE id = ?", [id])
        } else {
            try db.run(
                "UPDATE missing_image SET waiting = waiting - ? WHERE id = ?", [waiting.count, id])
        }
        return markedCount
    }
}
