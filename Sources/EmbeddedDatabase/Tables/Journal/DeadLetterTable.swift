import CallStacks
import Decompression
import Foundation
import GRDB
import Ingest

/// The table of dead letters.
struct DeadLetterTable {
    /// A letter whose body is still compressed.
    struct Stored: Sendable {
        fileprivate let withoutBody: DeadLetter
        fileprivate let body: PackedBody

        func letter() throws(DatabaseProblem) -> DeadLetter {
            var letter = withoutBody
            letter.body = try body.unpacked()
            return letter
        }
    }

    /// The size limit of the bodies in one list, in bytes.
    private static let bytesPerList = 64 << 20

    private let db: Database

    init(_ db: Database) { self.db = db }

    func add(_ letter: DeadLetter, _ body: PackedBody) throws {
        try db.run(
            """
            INSERT INTO dead_letter (
                exporter, signal, refusal, reason, records, rejected, size, form, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                letter.exporter, letter.signal.rawValue, letter.refusal.rawValue, letter.reason,
                letter.recordCount, letter.rejectedCount, body.size, body.form.rawValue, body.data,
            ])
    }

    func summaries(after id: Int64, count: Int) throws -> [DeadLetterSummary] {
        try db.all(
            """
            SELECT id, exporter, signal, refusal, reason, records, size FROM dead_letter
            WHERE id > ? ORDER BY id LIMIT ?
            """, [id, count]
        ).map { row in
            DeadLetterSummary(
                id: row[0], exporter: row[1], signal: try signal(row[2]),
                refusal: UnixTime(rawValue: row[3]), reason: row[4], recordCount: row[5],
                byteCount: row[6])
        }
    }

    private func signal(_ number: Int) throws(DatabaseProblem) -> Signal {
        guard let signal = Signal(rawValue: number) else {
            throw DatabaseProblem.damage("a dead letter")
        }
        return signal
    }

    /// Returns the letters that were neither refused under the current settings nor partly
    /// accepted.
    func resendable(
        of exporter: String, settingsFingerprint: String, after id: Int64, count: Int
    ) throws -> [Stored] {
        try letters(
            """
            SELECT * FROM dead_letter
            WHERE exporter = ? AND id > ? AND rejected IS NULL AND refused_under IS NOT ?
            ORDER BY id LIMIT ?
            """, [exporter, id, settingsFingerprint, count])
    }

    private func letters(_ sql: String, _ arguments: StatementArguments) throws -> [Stored] {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        var letters: [Stored] = []
        var sum = 0
        while let row = try rows.next() {
            sum += min(row["size"], PackedBody.sizeLimit)
            if !letters.isEmpty, sum > Self.bytesPerList { break }
            letters.append(try stored(row))
        }
        return letters
    }

    func stored(_ row: Row) throws(DatabaseProblem) -> Stored {
        Stored(
            withoutBody: DeadLetter(
                id: row["id"], exporter: row["exporter"], signal: try signal(row["signal"]),
                refusal: UnixTime(rawValue: row["refusal"]), reason: row["reason"],
                recordCount: row["records"], rejectedCount: row["rejected"], body: []),
            body: try PackedBody(form: row["form"], size: row["size"], data: row["body"]))
    }

    /// Returns the first letter after `id`.
    ///
    /// - Parameter ids: The letters to choose from, in ascending order, or `nil` for all.
    func first(among ids: [Int64]?, after id: Int64) throws -> Stored? {
        guard let ids else {
            return try letters("SELECT * FROM dead_letter WHERE id > ? ORDER BY id LIMIT 1", [id])
                .first
        }
        for candidate in ids where candidate > id {
            if let row = try db.first("SELECT * FROM dead_letter WHERE id = ?", [candidate]) {
                return try stored(row)
            }
        }
        return nil
    }

    func recordRefusal(of ids: [Int64], settingsFingerprint: String) throws {
        for id in ids {
            try db.run(
                "UPDATE dead_letter SET refused_under = ? WHERE id = ?", [settingsFingerprint, id])
        }
    }

    func counts() throws -> [DeadLetterCount] {
        try db.all(
            """
            SELECT exporter, count(*), sum(coalesce(rejected, records)) FROM dead_letter
            GROUP BY exporter ORDER BY exporter
            """, []
        ).map { DeadLetterCount(exporter: $0[0], letterCount: $0[1], recordCount: $0[2]) }
    }

    func remove(of exporter: String) throws {
        try db.run("DELETE FROM dead_letter WHERE exporter = ?", [exporter])
    }

    func remove(_ ids: [Int64]) throws {
        for id in ids { try db.run("DELETE FROM dead_letter WHERE id = ?", [id]) }
    }

    /// The statement for ``isBeyond(_:keeping:)``, which scans an index once.
    static let extentStatement = "SELECT sum(size), min(refusal) FROM dead_letter"
    static let expiredStatement =
        "SELECT id FROM dead_letter WHERE refusal < ? ORDER BY refusal LIMIT ?"

    /// Returns whether there are letters before `oldest`, or all of them take more than `bytes`.
    func isBeyond(_ oldest: UnixTime, keeping bytes: Int64) throws -> Bool {
        let extent = try extent()
        return extent.byteCount > bytes || extent.oldest.map { $0 < oldest } ?? false
    }

    private func extent() throws -> (byteCount: Int64, oldest: UnixTime?) {
        let row = try db.first(Self.extentStatement)
        let oldest: Int64? = row?[1]
        return (row?[0] ?? 0, oldest.map { UnixTime(rawValue: $0) })
    }

    /// - Returns: The number of removed letters.
    func remove(before oldest: UnixTime, keeping bytes: Int64, count: Int) throws -> Int {
        try db.run(
            "DELETE FROM dead_letter WHERE id IN (\(Self.expiredStatement))",
            [oldest.rawValue, count])
        let expired = db.changesCount
        let excess = try extent().byteCount - bytes
        guard excess > 0, expired < count else { return expired }
        try db.run(
            """
            DELETE FROM dead_letter WHERE id IN (
                SELECT id FROM (
                    SELECT id, sum(size) OVER (ORDER BY id) - size AS older
                    FROM (SELECT id, size FROM dead_letter ORDER BY id LIMIT ?))
                WHERE older < ?)
            """, [count - expired, excess])
        return expired + db.changesCount
    }
}
