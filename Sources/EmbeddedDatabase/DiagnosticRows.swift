import CallStacks
import GRDB
import Ingest

/// The rows of diagnostics.
struct DiagnosticRows {
    let db: Database

    init(_ db: Database) { self.db = db }

    /// Adds what is new and replaces what was revised.
    ///
    /// A payload that was accepted twice gives diagnostics of the same names; the first ones stay.
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
                entry, position, uid, arrival, kind, status, state, held_until, revision, app,
                version, build, exception_name, exception_message, culprit, fingerprint, frames,
                symbolicated, wanted)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """,
            [
                row.place.entry, row.place.position, row.uid, row.arrival.rawValue,
                row.kind.rawValue, row.status.rawValue, row.state.rawValue,
                row.heldUntil?.rawValue, row.revision, row.app, row.version, row.build,
                row.exceptionName, row.exceptionMessage, row.culprit, row.fingerprint,
                row.frameCount, row.symbolicatedFrameCount, wanted.text,
            ])
        return db.changesCount > 0
    }

    /// Replaces everything but where and when it came.
    ///
    /// - Returns: The row with its own place and arrival; `nil` where there is none of its name.
    private func update(_ row: DiagnosticRow, _ wanted: WantedList) throws -> DiagnosticRow? {
        guard
            let found = try db.first(
                "SELECT entry, position, arrival, wanted FROM diagnostic WHERE uid = ?", [row.uid])
        else { return nil }
        var kept = row
        kept.place = RecordPlace(entry: found[0], position: found[1])
        kept.arrival = UnixTime(rawValue: found[2])
        try WaitRows(db).remove(of: kept.place, WantedList(text: found[3]))
        try db.run(
            """
            UPDATE diagnostic SET
                kind = ?, status = ?, state = ?, held_until = ?, revision = ?, app = ?,
                version = ?, build = ?, exception_name = ?, exception_message = ?, culprit = ?,
                fingerprint = ?, frames = ?, symbolicated = ?, wanted = ?
            WHERE entry = ? AND position = ?
            """,
            [
                row.kind.rawValue, row.status.rawValue, row.state.rawValue,
                row.heldUntil?.rawValue, row.revision, row.app, row.version, row.build,
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

    func row(uid: String) throws -> DiagnosticRow? {
        try db.first("SELECT * FROM diagnostic WHERE uid = ?", [uid]).map(row)
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
            uid: row["uid"], place: RecordPlace(entry: row["entry"], position: row["position"]),
            arrival: UnixTime(rawValue: row["arrival"]), kind: kind, status: status,
            fingerprint: row["fingerprint"])
        diagnostic.state = state
        diagnostic.heldUntil = (row["held_until"] as Int64?).map(UnixTime.init)
        diagnostic.revision = row["revision"]
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
