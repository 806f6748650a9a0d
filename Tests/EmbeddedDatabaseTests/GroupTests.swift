import CallStacks
import EmbeddedDatabase
import Foundation
import GRDB
import Ingest
import TestSupport
import Testing

@Suite("Groups of diagnostics")
struct GroupTests {
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

    private func expected(_ database: EmbeddedDatabase) async throws -> Set<Counts> {
        let rows = try await database.diagnostics(DiagnosticQuery(limit: 1_000))
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

    private func stored(_ database: EmbeddedDatabase) async throws -> Set<Counts> {
        let listed = try await database.groups(GroupQuery(limit: 500))
        var all: Set<Counts> = []
        for fingerprint in Set(listed.map(\.fingerprint)) {
            for group in try await database.groups(fingerprint: fingerprint, app: nil) {
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
        in database: EmbeddedDatabase, since hour: Int64, app: String?
    ) async throws -> [SymbolicatedDiagnostic.Status: Int] {
        let rows = try await database.diagnostics(DiagnosticQuery(limit: 1_000)).filter {
            $0.arrival >= .at(hour * 3_600) && (app == nil || $0.app == app)
        }
        return Dictionary(grouping: rows, by: \.status).mapValues(\.count)
    }

    /// The coverage of the named versions of an app, as a plain count gives it.
    private func coverage(
        in database: EmbeddedDatabase, of app: String
    ) async throws -> [VersionCoverage] {
        let rows = try await database.diagnostics(DiagnosticQuery(limit: 1_000)).filter {
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
        row.fingerprint = "f\(Int.random(in: 0..<4, using: &numbers))"
        row.app = ["a", "b", "", nil].randomElement(using: &numbers) ?? nil
        row.version = ["1.9", "1.10", "", nil].randomElement(using: &numbers) ?? nil
        row.status = SymbolicatedDiagnostic.Status.allCases.randomElement(using: &numbers) ?? .raw
        row.kind = [.crash, .hang].randomElement(using: &numbers) ?? .crash
        row.culprit = "f\(Int.random(in: 0..<9, using: &numbers))()"
        row.symbolicatedFrameCount = Int.random(in: 0...12, using: &numbers)
        return row
    }

    @Test(
        "counts equal those of the diagnostics after any arrivals, revisions and removals",
        arguments: 1...12 as ClosedRange<UInt64>)
    func property(seed: UInt64) async throws {
        var numbers = SplitMix64(seed: seed)
        try await withDatabase { database in
            var last: Int64 = 0
            for _ in 0..<25 {
                let drafts = (0..<Int.random(in: 1...4, using: &numbers)).map { draft($0) }
                var commit = WorkerCommit(
                    lastNumber: try await database.append(drafts).last ?? last)
                try #require(commit.lastNumber > last)
                for entry in (last + 1)...commit.lastNumber {
                    for position in 0..<Int.random(in: 0...3, using: &numbers) {
                        let address = RecordAddress(entry: entry, position: position)
                        let seconds = Int64.random(in: 0...400_000, using: &numbers)
                        commit.diagnostics.append(row(address, at: seconds, &numbers))
                    }
                }
                last = commit.lastNumber
                let rows = try await database.diagnostics(DiagnosticQuery(limit: 1_000))
                for old in rows.shuffled(using: &numbers).prefix(3) {
                    commit.revised.append(row(old.address, at: 0, &numbers))
                }
                try await database.commit(commit)
                if Bool.random(using: &numbers) {
                    _ = try await database.removeDiagnostics(
                        before: .at(Int64.random(in: 0...100_000, using: &numbers)),
                        keeping: .max, count: 3)
                }
                let (stored, expected) = (
                    try await stored(database), try await expected(database)
                )
                #expect(stored == expected)
                for (app, hour) in [(nil, 0), ("a", 0), ("b", 20), (nil, 60)] as [(String?, Int64)]
                {
                    let counts = try await database.statusCounts(
                        since: .at(hour * 3_600 + 1_800), app: app)
                    #expect(
                        try await counts == self.counts(in: database, since: hour, app: app),
                        "\(app ?? "all"), hour \(hour)")
                }
            }
            for app in ["a", "b"] {
                let expected = try await coverage(in: database, of: app)
                #expect(try await database.coverage(app: app) == expected)
                #expect(
                    try await database.versions(of: app) == expected.reversed().map(\.version))
            }
            let counts = try await database.groupCounts(app: nil)
            #expect(counts.values.reduce(0, +) == (try await stored(database)).count)
        }
    }

    private func fill(_ database: EmbeddedDatabase) async throws {
        _ = try await database.append((1...60).map { draft($0) })
        let rows = (1...60).map { number -> DiagnosticRecord in
            var row = diagnostic(Int64(number))
            row.fingerprint = "f\(number % 12)"
            row.app = number % 3 == 0 ? "b" : "a"
            row.version = "1.\(number % 4)"
            row.kind = number % 12 < 6 ? .crash : .hang
            row.culprit = "Cart.step\(number % 12)()"
            row.status = number % 12 == 5 ? .raw : .symbolicated
            return row
        }
        try await database.commit(WorkerCommit(lastNumber: 60, diagnostics: rows))
    }

    @Test("every order and filter gives the groups that fit, in pages without gaps")
    func lists() async throws {
        try await withDatabase { database in
            try await fill(database)
            for order in GroupQuery.Order.allCases {
                for (app, version) in [(nil, nil), ("a", nil), ("a", "1.2")] as [(String?, String?)]
                {
                    for kind in [nil, DiagnosticKind.hang] {
                        var query = GroupQuery(app: app, order: order, limit: 500)
                        query.version = version
                        query.kind = kind
                        let all = try await database.groups(query)
                        #expect(!all.isEmpty)
                        #expect(all.allSatisfy { app == nil || $0.app == app })
                        #expect(all.allSatisfy { kind == nil || $0.kind == kind })
                        let places = all.map { query.position(of: $0) }
                        #expect(
                            places == places.sorted { ($1.key, $1.id) < ($0.key, $0.id) })
                        query.limit = 2
                        var paged: [Int64] = []
                        while case let page = try await database.groups(query), let end = page.last
                        {
                            paged += page.map(\.id)
                            query.before = query.position(of: end)
                        }
                        #expect(paged == all.map(\.id))
                        query.before = nil
                        query.after = places.last
                        var back: [Int64] = []
                        while case let page = try await database.groups(query), let end = page.first
                        {
                            back = page.map(\.id) + back
                            query.after = query.position(of: end)
                        }
                        #expect(back == all.dropLast().map(\.id))
                    }
                }
            }
        }
    }

    @Test("groups are found by a part of their title, and by whether they can be read")
    func filters() async throws {
        try await withDatabase { database in
            try await fill(database)
            var query = GroupQuery()
            query.text = "STEP1"
            #expect(
                Set(try await database.groups(query).compactMap(\.culprit))
                    == ["Cart.step1()", "Cart.step10()", "Cart.step11()"])
            query.text = "step_"
            #expect(try await database.groups(query).isEmpty, "an underscore is itself")
            query.text = nil
            query.readability = .raw
            #expect(try await database.groups(query).map(\.fingerprint) == ["f5"])
            query.readability = .readable
            #expect(try await database.groups(query).count == 11)
        }
    }

    @Test("coverage has the newest versions of each app, by number")
    func coverage() async throws {
        try await withDatabase { database in
            try await fill(database)
            let coverage = try await database.coverage(app: "a")
            #expect(coverage.map(\.version) == ["1.3", "1.2", "1.1", "1.0"])
            #expect(coverage.reduce(0) { $0 + $1.diagnosticCount } == 40)
            #expect(Set(try await database.coverage(app: nil).map(\.app)) == ["a", "b"])
            #expect(try await database.coverage(app: "c").isEmpty)
        }
    }

    /// The fingerprints of the groups with frames in an image.
    private func users(
        _ number: UInt8, _ database: EmbeddedDatabase, app: String? = nil
    ) async throws -> [String] {
        try await database.groups(using: image(number), app: app).map(\.fingerprint)
    }

    @Test("groups are found by the images of their frames, as long as a diagnostic has them")
    func images() async throws {
        try await withDatabase { database in
            func row(_ entry: Int64, _ fingerprint: String, _ images: UInt8...) -> DiagnosticRecord
            {
                var row = diagnostic(entry)
                row.fingerprint = fingerprint
                row.app = fingerprint == "b" ? "other" : "shop"
                row.appImages = Set(images.map(image))
                return row
            }
            _ = try await database.append((1...4).map { draft($0) })
            try await database.commit(
                WorkerCommit(
                    lastNumber: 4,
                    diagnostics: [
                        row(1, "a", 1, 2), row(2, "a", 1), row(3, "b", 1), row(4, "c", 3),
                    ]
                ))
            #expect(try await users(1, database) == ["b", "a"], "the newest first")
            #expect(try await users(1, database, app: "shop") == ["a"])
            #expect(try await users(2, database) == ["a"])
            #expect(try await users(9, database).isEmpty)
            // A diagnostic that became readable is in another group.
            _ = try await database.append([draft(5)])
            try await database.commit(WorkerCommit(lastNumber: 5, revised: [row(4, "d", 3)]))
            #expect(try await users(3, database) == ["d"])
            #expect(
                try await database.removeDiagnostics(before: .at(2), keeping: .max, count: 9) == 1)
            #expect(try await users(2, database).isEmpty, "the only diagnostic with it is gone")
            #expect(try await users(1, database) == ["b", "a"])
        }
    }

    @Test("apps are listed by name, and their versions by number")
    func apps() async throws {
        try await withDatabase { database in
            try await fill(database)
            #expect(try await database.apps() == ["a", "b"])
            #expect(try await database.versions(of: "a") == ["1.0", "1.1", "1.2", "1.3"])
            #expect(try await database.versions(of: "c").isEmpty)
        }
    }

    @Test("a group is new in the newest version, or back in it")
    func trend() {
        let versions = ["1.0", "1.1", "1.2"]
        #expect(DiagnosticGroup.Trend(seenIn: ["1.2"], among: versions) == .new)
        #expect(DiagnosticGroup.Trend(seenIn: ["1.0", "1.2"], among: versions) == .back)
        #expect(DiagnosticGroup.Trend(seenIn: ["1.1", "1.2"], among: versions) == nil)
        #expect(DiagnosticGroup.Trend(seenIn: ["1.0"], among: versions) == nil)
        #expect(DiagnosticGroup.Trend(seenIn: ["1.0"], among: ["1.0"]) == nil)
    }
}
