import CallStacks
import Foundation
import GRDB
import Ingest

/// The table of diagnostics.
struct DiagnosticTable {
    let db: Database

    init(_ db: Database) { self.db = db }

    /// Inserts new diagnostics and updates revised ones. Revisions of removed diagnostics are
    /// dropped.
    func store(_ commit: WorkerCommit) throws {
        var waits = ImageWaits()
        for diagnostic in commit.diagnostics + commit.revised { waits.add(diagnostic) }
        let numbers = try MissingImageTable(db).put(waits.images)
        var counts: [Int64: Int] = [:]
        var groups = GroupCounts()
        for diagnostic in commit.diagnostics
        where try insert(diagnostic, waits.list(of: diagnostic, numbers)) {
            counts[diagnostic.address.entry, default: 0] += 1
            waits.add(diagnostic, numbers)
            groups.add(diagnostic)
            try SampledStackTable(db).put(diagnostic)
        }
        for diagnostic in commit.revised {
            let list = waits.list(of: diagnostic, numbers)
            guard let last = try update(diagnostic, list, counting: &groups) else { continue }
            waits.add(diagnostic, numbers, except: last)
            try SampledStackTable(db).put(diagnostic)
        }
        try GroupTable(db).apply(groups)
        try VersionCountTable(db).apply(groups)
        try HourTable(db).apply(groups)
        for (entry, count) in counts.sorted(by: { $0.key < $1.key }) {
            try keepEntry(entry, for: count)
        }
        try MissingImageTable(db).add(waits.images, numbers)
        try MissingImageTable(db).awaken(numbers, changedAfter: commit.symbolsSeen)
        try MissingImageTable(db).removeUnwanted()
    }

    /// - Returns: Whether it was new.
    private func insert(_ diagnostic: DiagnosticRecord, _ wanted: WantedImageList) throws -> Bool {
        try db.run(
            """
            INSERT INTO diagnostic (
                entry, position, uid, arrival, kind, status, state, held_until, revision, digest,
                history, app, version, build, exception_name, exception_message, culprit,
                fingerprint, frames, symbolicated, wanted)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), nullif(?, ''),
                ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """,
            [
                diagnostic.address.entry, diagnostic.address.position, Data(diagnostic.uid.utf8),
                diagnostic.arrival.rawValue,
                diagnostic.kind.rawValue, diagnostic.status.rawValue, diagnostic.state.rawValue,
                diagnostic.heldUntil?.rawValue, diagnostic.revision,
                diagnostic.digest.map { Data($0.bytes) }, diagnostic.history.column,
                diagnostic.app, diagnostic.version, diagnostic.build,
                diagnostic.exceptionName, diagnostic.exceptionMessage, diagnostic.culprit,
                diagnostic.fingerprint, diagnostic.frameCount,
                diagnostic.symbolicatedFrameCount, wanted.text,
            ])
        return db.changesCount > 0
    }

    /// `INSERT … SELECT` is not used, because SQLite would create a temporary table for it, as
    /// `kept` has a trigger. If the entry is not in the journal, `bytes` is `NULL` and no row is
    /// inserted.
    private func keepEntry(_ number: Int64, for count: Int) throws {
        try db.run(
            """
            INSERT OR IGNORE INTO kept (number, bytes, diagnostics)
            VALUES (?1, (SELECT length(body) FROM journal WHERE number = ?1), ?2)
            ON CONFLICT (number) DO UPDATE SET diagnostics = diagnostics + excluded.diagnostics
            """, [number, count])
    }

    /// Returns the newest diagnostic with an identifier.
    func diagnostic(uid: String, app: String?) throws -> DiagnosticRecord? {
        try db.first(
            """
            SELECT * FROM diagnostic WHERE uid = ? AND (? IS NULL OR app = ?)
            ORDER BY entry DESC, position DESC LIMIT 1
            """, [Data(uid.utf8), app, app]
        ).map(diagnostic)
    }

    func diagnostic(at address: RecordAddress) throws -> DiagnosticRecord? {
        try row(at: address).map(diagnostic)
    }

    /// Returns diagnostics, newest first.
    func diagnostics(_ query: DiagnosticQuery) throws -> [DiagnosticRecord] {
        let list = DiagnosticListStatement(query)
        let diagnostics = try db.all(list.sql, list.arguments, read: diagnostic)
        return query.after == nil ? diagnostics : diagnostics.reversed()
    }

    func count(_ query: DiagnosticQuery) throws -> Int {
        let list = DiagnosticListStatement(query, columns: "1")
        return try db.first("SELECT count(*) FROM (\(list.sql))", list.arguments)?[0] ?? 0
    }

    func neighbours(
        of address: RecordAddress, in query: DiagnosticQuery
    ) throws -> DiagnosticNeighbours {
        DiagnosticNeighbours(
            newer: try uid(query.newer(than: address, limit: 1)),
            older: try uid(query.older(than: address, limit: 1)),
            newerCount: try count(
                query.newer(than: address, limit: DiagnosticQuery.largestLimit)))
    }

    private func uid(_ query: DiagnosticQuery) throws -> String? {
        let list = DiagnosticListStatement(query, columns: "uid")
        return try db.first(list.sql, list.arguments).map {
            String(decoding: $0[0] as Data, as: UTF8.self)
        }
    }

    /// Returns a diagnostic without the images that it waits for, which would take further lookups.
    func diagnosticToRevise(at address: RecordAddress) throws -> DiagnosticRecord? {
        try row(at: address).map(diagnosticWithoutWanted)
    }

    private func row(at address: RecordAddress) throws -> Row? {
        try db.first(
            "SELECT * FROM diagnostic WHERE entry = ? AND position = ?",
            [address.entry, address.position])
    }

    func diagnostic(_ row: Row) throws -> DiagnosticRecord {
        var diagnostic = try diagnosticWithoutWanted(row)
        diagnostic.wanted = try MissingImageTable(db)
            .wanted(by: diagnostic.address, WantedImageList(text: row["wanted"]))
        return diagnostic
    }

    private func diagnosticWithoutWanted(_ row: Row) throws -> DiagnosticRecord {
        guard let kind = DiagnosticKind(rawValue: row["kind"]),
            let status = SymbolicatedDiagnostic.Status(rawValue: row["status"]),
            let state = DiagnosticRecord.State(rawValue: row["state"])
        else {
            throw DatabaseProblem.damage("a diagnostic")
        }
        var diagnostic = DiagnosticRecord(
            uid: String(decoding: row["uid"] as Data, as: UTF8.self),
            address: RecordAddress(entry: row["entry"], position: row["position"]),
            arrival: UnixTime(rawValue: row["arrival"]), kind: kind, status: status,
            fingerprint: row["fingerprint"])
        diagnostic.state = state
        diagnostic.heldUntil = (row["held_until"] as Int64?).map(UnixTime.init)
        diagnostic.revision = row["revision"]
        diagnostic.digest = RecordDigest(column: row["digest"])
        diagnostic.history = RevisionHistory(column: row["history"])
        diagnostic.app = row["app"]
        diagnostic.version = row["version"]
        diagnostic.build = row["build"]
        diagnostic.exceptionName = row["exception_name"]
        diagnostic.exceptionMessage = row["exception_message"]
        diagnostic.culprit = row["culprit"]
        diagnostic.frameCount = row["frames"]
        diagnostic.symbolicatedFrameCount = row["symbolicated"]
        return diagnostic
    }
}
