import CallStacks
import Foundation
import GRDB
import Ingest

/// The rows of what exporters refused for good.
struct DeadLetterRows {
    /// A letter whose body is still packed.
    struct Stored: Sendable {
        fileprivate let withoutBody: DeadLetter
        fileprivate let body: StoredBody

        func letter() throws(DatabaseProblem) -> DeadLetter {
            var letter = withoutBody
            letter.body = try body.body()
            return letter
        }
    }

    /// The most that one list holds of bodies, in bytes.
    private static let bytesPerList = 64 << 20

    private let db: Database

    init(_ db: Database) { self.db = db }

    func add(_ letter: DeadLetter, _ body: StoredBody) throws {
        try db.run(
            """
            INSERT INTO dead_letter (
                exporter, signal, refusal, reason, records, size, form, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                letter.exporter, letter.signal.rawValue, letter.refusal.rawValue, letter.reason,
                letter.recordCount, body.size, body.form.rawValue, body.bytes,
            ])
    }

    func letters(after id: Int64, count: Int) throws -> [Stored] {
        let statement = try db.cachedStatement(
            sql: "SELECT * FROM dead_letter WHERE id > ? ORDER BY id LIMIT ?")
        let rows = try Row.fetchCursor(statement, arguments: [id, count])
        var letters: [Stored] = []
        var sum = 0
        while let row = try rows.next() {
            sum += min(row["size"], StoredBody.sizeLimit)
            if !letters.isEmpty, sum > Self.bytesPerList { break }
            letters.append(try stored(row))
        }
        return letters
    }

    private func stored(_ row: Row) throws(DatabaseProblem) -> Stored {
        guard let signal = Signal(rawValue: row["signal"]) else {
            throw DatabaseProblem.damage("a dead letter")
        }
        return Stored(
            withoutBody: DeadLetter(
                id: row["id"], exporter: row["exporter"], signal: signal,
                refusal: UnixTime(rawValue: row["refusal"]), reason: row["reason"],
                recordCount: row["records"], body: []),
            body: try StoredBody(form: row["form"], size: row["size"], bytes: row["body"]))
    }

    func remove(_ ids: [Int64]) throws {
        for id in ids { try db.run("DELETE FROM dead_letter WHERE id = ?", [id]) }
    }

    /// - Returns: How many went.
    func remove(before oldest: UnixTime, keeping bytes: Int64, count: Int) throws -> Int {
        try db.run(
            """
            DELETE FROM dead_letter WHERE id IN (
                SELECT id FROM (
                    SELECT id, refusal, sum(size) OVER (ORDER BY id DESC) AS held FROM dead_letter)
                WHERE refusal < ? OR held > ?
                ORDER BY id LIMIT ?)
            """, [oldest.rawValue, bytes, count])
        return db.changesCount
    }
}
