import CallStacks
import Foundation
import GRDB
import SymbolIntake

/// Marks the diagnostics that wait for an image that has arrived.
///
/// There may be hundreds of thousands, and marking them in one transaction would delay new entries.
/// So the first transaction stores that the image has arrived, and each transaction marks some
/// diagnostics. If the process ends in between, the rest are marked when the file is opened again.
extension MissingImageTable {
    /// The result of one transaction.
    struct Step: Sendable {
        /// The number of diagnostics that are marked now.
        var marked = 0
        var isLast = true
    }

    private static let stepLimit = 500

    func awaken(_ image: UpdatedImage, since oldest: UnixTime, due: UnixTime) throws -> Step {
        let ids = try served(by: image)
        guard let first = ids.first else { return Step() }
        for id in ids {
            try db.run(
                """
                INSERT INTO awakening (image, since, due) VALUES (?, ?, ?)
                ON CONFLICT (image) DO UPDATE
                    SET since = min(since, excluded.since), due = max(due, excluded.due)
                """, [id, oldest.rawValue, due.rawValue])
        }
        var step = try mark(waitingFor: first)
        if ids.count > 1 { step.isLast = false }
        return step
    }

    /// Returns the missing images that may use a file: those of all apps if the file belongs to
    /// everyone, otherwise those of the file's app and those that may use any app's file.
    private func served(by image: UpdatedImage) throws -> [Int64] {
        let owner = image.owner.column
        return try db.all(
            """
            SELECT id FROM missing_image
            WHERE image = ? AND stored = 0 AND (? = '' OR app IN ('', ?))
            """, [Data(image.image.bytes), owner, owner]
        ).map { $0[0] }
    }

    /// Ends the waits for a system image whose symbols are stored, until they are removed.
    func suspendWaits(for image: UpdatedImage) throws {
        for id in try served(by: image) {
            try db.run("UPDATE missing_image SET stored = 1 WHERE id = ?", [id])
        }
    }

    /// Makes the diagnostics of a system image wait again, because its symbols were removed.
    func resumeWaits(for image: ImageID) throws {
        try db.run(
            "UPDATE missing_image SET stored = 0 WHERE image = ? AND stored = 1",
            [Data(image.bytes)])
    }

    /// Continues an operation that an earlier process did not finish.
    ///
    /// - Returns: Whether there may be more.
    func finishAwakening() throws -> Bool {
        guard let id: Int64 = try db.first("SELECT image FROM awakening LIMIT 1")?[0] else {
            return false
        }
        try db.inTransaction {
            _ = try mark(waitingFor: id)
            return .commit
        }
        return true
    }

    private func mark(waitingFor image: Int64) throws -> Step {
        let awakening = try db.first(
            "SELECT since, due FROM awakening WHERE image = ?", [image])
        guard let awakening else { return Step() }
        let (since, due) = (awakening[0] as Int64, awakening[1] as Int64)
        let waiting = try db.all(
            """
            SELECT entry, position FROM wait WHERE image = ? ORDER BY entry, position LIMIT ?
            """, [image, Self.stepLimit])
        var step = Step()
        for row in waiting {
            try db.run(
                """
                UPDATE diagnostic SET marked = max(coalesce(marked, 0), ?)
                WHERE entry = ? AND position = ? AND arrival >= ?
                """, [due, row[0] as Int64, row[1] as Int64, since])
            step.marked += db.changesCount
            try db.run(
                "DELETE FROM wait WHERE entry = ? AND position = ? AND image = ?",
                [row[0] as Int64, row[1] as Int64, image])
        }
        try db.run(
            "UPDATE missing_image SET waiting = waiting - ? WHERE id = ?", [waiting.count, image])
        step.isLast = waiting.count < Self.stepLimit
        if step.isLast { try remove(image) }
        return step
    }

    private func remove(_ image: Int64) throws {
        try db.run("DELETE FROM awakening WHERE image = ?", [image])
        try db.run("DELETE FROM missing_image WHERE id = ?", [image])
    }
}
