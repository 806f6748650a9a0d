import CallStacks
import Foundation
import GRDB
import Ingest

/// The rows of diagnostics.
struct DiagnosticRows {
    let db: Database

    init(_ db: Database) { self.db = db }

    /// Adds what is new and replaces what was revised.
    ///
    /// A revision of a diagnostic that was removed meanwhile is dropped.
    func keep(_ work: WorkedBatch) throws {
        var waits = NewWaits()
        for row in work.diagnostics + work.revised { waits.note(row) }
        let numbers = try WaitRows(db).put(waits.images)
        var counts: [Int64: Int] = [:]
        for row in work.diagnostics where try insert(row, waits.list(of: row, numbers)) {
            counts[row.place.entry, default: 0] += 1
            waits.add(row)
        }
        for row in work.revised {
            guard let kept = try update(row, waits.list(of: row, numbers)) else { continue }
            waits.add(kept)
        }
        for (entry, count) in counts.sorted(by: { $0.key < $1.key }) {
            try keepEntry(entry, for: count)
        }
        try WaitRows(db).add(waits.images, numbers)
        try WaitRows(db).forgetUnwanted()
    }

    /// - Returns: Whether it was new.
    private func insert(_ row: DiagnosticRow, _ wanted: WantedList) throws -> Bool {
        try db.run(
            """
            INSERT INTO diagnostic (
                entry, position, uid, arrival, kind, status, state, held_until, revision, digest,
                app, version, build, exception_name, exception_message, culprit, fingerprint,
                frames, symbolicated, wanted)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """,
            [
                row.place.entry, row.place.position, Data(row.uid.utf8), row.arrival.rawValue,
                row.kind.rawValue, row.status.rawValue, row.state.rawValue,
                row.heldUntil?.rawValue, row.revision, row.digest.map { Data($0.bytes) },
                row.app, row.version, row.build,
                row.exceptionName, row.exceptionMessage, row.culprit, row.fingerprint,
                row.frameCount, row.symbolicatedFrameCount, wanted.text,
            ])
        return db.changesCount > 0
    }

    /// Replaces everything but where and when it came.
    ///
    /// - Returns: The row with its own arrival, or `nil` if there is none at its place.
    private func update(_ row: DiagnosticRow, _ wanted: WantedList) throws -> DiagnosticRow? {
        guard
            let found = try db.first(
                "SELECT arrival, wanted FROM diagnostic WHERE entry = ? AND position = ?",
                [row.place.entry, row.place.position])
        else { return nil }
        var kept = row
        kept.arrival = UnixTime(rawValue: found[0])
        try WaitRows(db).remove(of: kept.place, WantedList(text: found[1]))
        try db.run(
            """
            UPDATE diagnostic SET
                kind = ?, status = ?, state = ?, held_until = ?, revision = ?, digest = ?, app = ?,
                version = ?, build = ?, exception_name = ?, exception_message = ?, culprit = ?,
                fingerprint = ?, frames = ?, symbolicated = ?, wanted = ?
            WHERE entry = ? AND position = ?
            """,
            [
                row.kind.rawValue, row.status.rawValue, row.state.rawValue,
                row.heldUntil?.rawValue, row.revision, row.digest.map { Data($0.bytes) },
                row.app, row.version, row.build,
                row.exceptionName, row.exceptionMessage, row.culprit, row.fingerprint,
                row.frameCount, row.symbolicatedFrameCount, wanted.text, kept.place.entry,
                kept.place.position,
            ])
        return kept
    }

    private func keepEntry(_ number: Int64, for count: Int) throws {
        try db.run(
            """
            INSERT INTO kept (number, bytes, diagnostics)
            SELECT number, length(body), ? FROM journal WHERE number = ?
            ON CONFLICT (number) DO UPDATE SET diagnostics = diagnostics + excluded.diagnostics
            """, [count, number])
    }

    /// The newest one of an identifier.
    func row(uid: String, app: String?) throws -> DiagnosticRow? {
        try db.first(
            """
            SELECT * FROM diagnostic WHERE uid = ? AND (? IS NULL OR app = ?)
            ORDER BY entry DESC, position DESC LIMIT 1
            """, [Data(uid.utf8), app, app]
        ).map(row)
    }

    func row(at place: RecordPlace) throws -> DiagnosticRow? {
        try db.first(
            "SELECT * FROM diagnostic WHERE entry = ? AND position = ?",
            [place.entry, place.position]
        ).map(row)
    }

    /// The newest first.
    func rows(_ query: DiagnosticQuery) throws -> [DiagnosticRow] {
        var conditions: [String] = ["true"]
        var arguments = StatementArguments()
        func add(_ condition: String, _ value: (any DatabaseValueConvertible)?) {
            guard let value else { return }
            conditions.append(condition)
            arguments += [value]
        }
        add("app = ?", query.app)
        add("version = ?", query.version)
        add("build = ?", query.build)
        add("kind = ?", query.kind?.rawValue)
        add("status = ?", query.status?.rawValue)
        add("fingerprint = ?", query.fingerprint)
        if let place = query.before {
            conditions.append("(entry, position) < (?, ?)")
            arguments += [place.entry, place.position]
        }
        let sql = """
            SELECT * FROM diagnostic WHERE \(conditions.joined(separator: " AND "))
            ORDER BY entry DESC, position DESC LIMIT ?
            """
        arguments += [min(max(query.limit, 1), DiagnosticQuery.largestLimit)]
        return try Row.fetchAll(db, sql: sql, arguments: arguments).map(row)
    }

    private func row(_ row: Row) throws -> DiagnosticRow {
        guard let kind = DiagnosticKind(rawValue: row["kind"]),
            let status = SymbolicatedDiagnostic.Status(rawValue: row["status"]),
            let state = DiagnosticRow.State(rawValue: row["state"])
        else {
            throw DatabaseProblem.damage("a diagnostic")
        }
        var diagnostic = DiagnosticRow(
            uid: String(decoding: row["uid"] as Data, as: UTF8.self),
            place: RecordPlace(entry: row["entry"], position: row["position"]),
            arrival: UnixTime(rawValue: row["arrival"]), kind: kind, status: status,
            fingerprint: row["fingerprint"])
        diagnostic.state = state
        diagnostic.heldUntil = (row["held_until"] as Int64?).map(UnixTime.init)
        diagnostic.revision = row["revision"]
        diagnostic.digest = ContentDigest(column: row["digest"])
        diagnostic.app = row["app"]
        diagnostic.version = row["version"]
        diagnostic.build = row["build"]
        diagnostic.exceptionName = row["exception_name"]
        diagnostic.exceptionMessage = row["exception_message"]
        diagnostic.culprit = row["culprit"]
        diagnostic.frameCount = row["frames"]
        diagnostic.symbolicatedFrameCount = row["symbolicated"]
        diagnostic.wanted = try WaitRows(db)
            .wanted(by: diagnostic.place, WantedList(text: row["wanted"]))
        return diagnostic
    }
}
