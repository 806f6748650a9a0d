import CallStacks
import Ingest
import JournalSupport
import TestSupport
import Testing

@Suite("Counts of groups of both databases", .serialized, .ownThreads)
struct GroupCountTests {
    /// The counts of a group, as a plain count of the stored diagnostics gives them.
    private struct Counts: Hashable {
        var app: String?
        var fingerprint: String
        var kind: DiagnosticKind
        var culprit: String?
        var count: Int
        var unreadable: Int
        var first: UnixTime
        var last: UnixTime
        var newest: RecordAddress
        var versions: [String: [Int]]
        var days: [Int64: Int]
    }

    private func expected(_ database: any PortDatabase) async throws -> Set<Counts> {
        let rows = try await database.journal.diagnostics(DiagnosticQuery(limit: 1_000))
        let groups = Dictionary(grouping: rows) { [$0.app ?? "", $0.fingerprint] }
        return Set(
            groups.values.map { rows in
                let (newest, oldest) = (rows[0], rows[rows.count - 1])
                return Counts(
                    app: newest.app, fingerprint: newest.fingerprint, kind: newest.kind,
                    culprit: newest.culprit, count: rows.count,
                    unreadable: rows.count { $0.status == .raw }, first: oldest.arrival,
                    last: newest.arrival, newest: newest.address,
                    versions: Dictionary(grouping: rows) { $0.version ?? "" }.mapValues { rows in
                        [
                            rows.count, rows.reduce(0) { $0 + $1.frameCount },
                            rows.reduce(0) { $0 + $1.symbolicatedFrameCount },
                            Int(rows[rows.count - 1].arrival.rawValue),
                            Int(rows[0].arrival.rawValue),
                        ]
                    },
                    days: Dictionary(grouping: rows) { $0.arrival.rawValue / 86_400_000 }
                        .mapValues(\.count))
            })
    }

    private func stored(_ database: any PortDatabase) async throws -> Set<Counts> {
        let listed = try await database.archives.groups(GroupQuery(limit: 500))
        var all: Set<Counts> = []
        for fingerprint in Set(listed.map(\.fingerprint)) {
            for group in try await database.archives.groups(fingerprint: fingerprint, app: nil) {
                all.insert(
                    Counts(
                        app: group.app, fingerprint: group.fingerprint, kind: group.kind,
                        culprit: group.culprit, count: group.diagnosticCount,
                        unreadable: group.unreadableCount, first: group.firstSeen,
                        last: group.lastSeen, newest: group.newest,
                        versions: group.versions.reduce(into: [:]) { versions, version in
                            versions[version.version ?? ""] = [
                                version.diagnosticCount, version.frameCount,
                                version.symbolicatedFrameCount, Int(version.firstSeen.rawValue),
                                Int(version.lastSeen.rawValue),
                            ]
                        },
                        days: group.days.reduce(into: [:]) { $0[$1.day] = $1.diagnosticCount }))
            }
        }
        #expect(all.count == listed.count)
        return all
    }

    /// The numbers of diagnostics by status, as a plain count gives them.
    private func counts(
        in database: any PortDatabase, since hour: Int64, app: String?
    ) async throws -> [SymbolicatedDiagnostic.Status: Int] {
        let rows = try await database.journal.diagnostics(DiagnosticQuery(limit: 1_000)).filter {
            $0.arrival >= .at(hour * 3_600) && (app == nil || $0.app == app)
        }
        return Dictionary(grouping: rows, by: \.status).mapValues(\.count)
    }

    /// The coverage of the named versions of an app, as a plain count gives it.
    private func coverage(
        in database: any PortDatabase, of app: String
    ) async throws -> [VersionCoverage] {
        let rows = try await database.journal.diagnostics(DiagnosticQuery(limit: 1_000)).filter {
            $0.app == app && $0.version?.isEmpty == false
        }
        return ["1.10", "1.9"].compactMap { version in
            let rows = rows.filter { $0.version == version }
            guard !rows.isEmpty else { return nil }
            return VersionCoverage(
                app: app, version: version, diagnosticCount: rows.count,
                frameCount: rows.reduce(0) { $0 + $1.frameCount },
                symbolicatedFrameCount: rows.reduce(0) { $0 + $1.symbolicatedFrameCount })
        }
    }

    private func row(
        _ address: RecordAddress, at seconds: Int64, _ numbers: inout SplitMix64
    ) -> DiagnosticRecord {
        var row = diagnostic(address.entry, address.position, at: seconds)
        let group = Int.random(in: 0..<4, using: &numbers)
        // Diagnostics of different kinds never have the same fingerprint.
        (row.fingerprint, row.kind) = ("f\(group)", group < 2 ? .crash : .hang)
        row.app = ["a", "b", "", nil].randomElement(using: &numbers) ?? nil
        row.version = ["1.9", "1.10", "", nil].randomElement(using: &numbers) ?? nil
        row.status = SymbolicatedDiagnostic.Status.allCases.randomElement(using: &numbers) ?? .raw
        row.culprit = "f\(Int.random(in: 0..<9, using: &numbers))()"
        row.symbolicatedFrameCount = Int.random(in: 0...12, using: &numbers)
        return row
    }

    @Test(
        "counts equal those of the diagnostics after any arrivals, revisions and removals",
        arguments: DatabaseKind.allCases, 1...4 as ClosedRange<UInt64>)
    func property(kind: DatabaseKind, seed: UInt64) async throws {
        var numbers = SplitMix64(seed: seed)
        try await withDatabase(kind) { database in
            var last: Int64 = 0
            for _ in 0..<20 {
                let drafts = (0..<Int.random(in: 1...4, using: &numbers)).map { draft($0) }
                var commit = WorkerCommit(
                    lastNumber: try await database.journal.appendAll(drafts).last ?? last)
                try #require(commit.lastNumber > last)
                for entry in (last + 1)...commit.lastNumber {
                    for position in 0..<Int.random(in: 0...3, using: &numbers) {
                        let address = RecordAddress(entry: entry, position: position)
                        let seconds = Int64.random(in: 0...400_000, using: &numbers)
                        commit.diagnostics.append(row(address, at: seconds, &numbers))
                    }
                }
                last = commit.lastNumber
                let rows = try await database.journal.diagnostics(DiagnosticQuery(limit: 1_000))
                for old in rows.shuffled(using: &numbers).prefix(3) {
                    commit.revised.append(row(old.address, at: 0, &numbers))
                }
                try await database.journal.commit(commit)
                if Bool.random(using: &numbers) {
                    _ = try await database.journal.removeDiagnostics(
                        before: .at(Int64.random(in: 0...100_000, using: &numbers)),
                        keeping: .max, count: 3)
                }
                let (stored, expected) = (
                    try await stored(database), try await expected(database)
                )
                #expect(stored == expected)
                for (app, hour) in [(nil, 0), ("a", 0), ("b", 20), (nil, 60)] as [(String?, Int64)]
                {
                    let counts = try await database.archives.statusCounts(
                        since: .at(hour * 3_600 + 1_800), app: app)
                    #expect(
                        try await counts == self.counts(in: database, since: hour, app: app),
                        "\(app ?? "all"), hour \(hour)")
                }
            }
            for app in ["a", "b"] {
                let expected = try await coverage(in: database, of: app)
                #expect(try await database.archives.coverage(app: app) == expected)
                #expect(
                    try await database.archives.versions(of: app)
                        == expected.reversed().map(\.version))
            }
            let counts = try await database.archives.groupCounts(app: nil)
            #expect(counts.values.reduce(0, +) == (try await stored(database)).count)
        }
    }
}
