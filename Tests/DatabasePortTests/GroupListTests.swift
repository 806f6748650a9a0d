import CallStacks
import Ingest
import JournalSupport
import TestSupport
import Testing

@Suite("Lists of groups of both databases", .serialized, .ownThreads)
struct GroupListTests {
    private func fill(_ database: any PortDatabase) async throws {
        _ = try await database.journal.append((1...60).map { draft($0) })
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
        try await database.journal.commit(WorkerCommit(lastNumber: 60, diagnostics: rows))
    }

    @Test(
        "every order and filter gives the groups that fit, in pages without gaps",
        arguments: DatabaseKind.allCases)
    func lists(kind: DatabaseKind) async throws {
        try await withDatabase(kind) { database in
            try await fill(database)
            for order in GroupQuery.Order.allCases {
                for (app, version) in [(nil, nil), ("a", nil), ("a", "1.2")] as [(String?, String?)]
                {
                    for kind in [nil, DiagnosticKind.hang] {
                        var query = GroupQuery(app: app, order: order, limit: 500)
                        query.version = version
                        query.kind = kind
                        let all = try await database.archives.groups(query)
                        #expect(!all.isEmpty)
                        #expect(all.allSatisfy { app == nil || $0.app == app })
                        #expect(all.allSatisfy { kind == nil || $0.kind == kind })
                        let places = all.map { query.position(of: $0) }
                        #expect(
                            places == places.sorted { ($1.key, $1.id) < ($0.key, $0.id) })
                        query.limit = 2
                        var paged: [Int64] = []
                        while case let page = try await database.archives.groups(query),
                            let end = page.last
                        {
                            paged += page.map(\.id)
                            query.before = query.position(of: end)
                        }
                        #expect(paged == all.map(\.id))
                        query.before = nil
                        query.after = places.last
                        var back: [Int64] = []
                        while case let page = try await database.archives.groups(query),
                            let end = page.first
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

    @Test(
        "groups are found by a part of their title, and by whether they can be read",
        arguments: DatabaseKind.allCases)
    func filters(kind: DatabaseKind) async throws {
        try await withDatabase(kind) { database in
            try await fill(database)
            var query = GroupQuery()
            query.text = "STEP1"
            #expect(
                Set(try await database.archives.groups(query).compactMap(\.culprit))
                    == ["Cart.step1()", "Cart.step10()", "Cart.step11()"])
            query.text = "step_"
            #expect(try await database.archives.groups(query).isEmpty, "an underscore is itself")
            query.text = nil
            query.readability = .raw
            #expect(try await database.archives.groups(query).map(\.fingerprint) == ["f5"])
            query.readability = .readable
            #expect(try await database.archives.groups(query).count == 11)
        }
    }

    @Test(
        "coverage has the newest versions of each app, by number",
        arguments: DatabaseKind.allCases)
    func coverage(kind: DatabaseKind) async throws {
        try await withDatabase(kind) { database in
            try await fill(database)
            let coverage = try await database.archives.coverage(app: "a")
            #expect(coverage.map(\.version) == ["1.3", "1.2", "1.1", "1.0"])
            #expect(coverage.reduce(0) { $0 + $1.diagnosticCount } == 40)
            #expect(Set(try await database.archives.coverage(app: nil).map(\.app)) == ["a", "b"])
            #expect(try await database.archives.coverage(app: "c").isEmpty)
        }
    }

    /// The fingerprints of the groups with frames in an image.
    private func users(
        _ number: UInt8, _ database: any PortDatabase, app: String? = nil
    ) async throws -> [String] {
        try await database.archives.groups(using: image(number), app: app).map(\.fingerprint)
    }

    @Test(
        "groups are found by the images of their frames, as long as a diagnostic has them",
        arguments: DatabaseKind.allCases)
    func images(kind: DatabaseKind) async throws {
        try await withDatabase(kind) { database in
            func row(_ entry: Int64, _ fingerprint: String, _ images: UInt8...) -> DiagnosticRecord
            {
                var row = diagnostic(entry, at: entry == 1 ? 1 : 86_400 + entry)
                row.fingerprint = fingerprint
                row.app = fingerprint == "b" ? "other" : "shop"
                row.appImages = Set(images.map(image))
                return row
            }
            _ = try await database.journal.append((1...4).map { draft($0) })
            try await database.journal.commit(
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
            _ = try await database.journal.append([draft(5)])
            try await database.journal.commit(
                WorkerCommit(lastNumber: 5, revised: [row(4, "d", 3)]))
            #expect(try await users(3, database) == ["d"])
            #expect(
                try await database.journal.removeDiagnostics(
                    before: .at(86_400), keeping: .max, count: 9) == 1)
            #expect(try await users(2, database).isEmpty, "the only diagnostic with it is gone")
            #expect(try await users(1, database) == ["b", "a"])
        }
    }

    @Test("apps are listed by name, and their versions by number", arguments: DatabaseKind.allCases)
    func apps(kind: DatabaseKind) async throws {
        try await withDatabase(kind) { database in
            try await fill(database)
            #expect(try await database.archives.apps() == ["a", "b"])
            #expect(try await database.archives.versions(of: "a") == ["1.0", "1.1", "1.2", "1.3"])
            #expect(try await database.archives.versions(of: "c").isEmpty)
        }
    }

    @Test(
        "the groups that wait for an image are those of its diagnostics, of one app or of all",
        arguments: DatabaseKind.allCases)
    func waiting(kind: DatabaseKind) async throws {
        try await withDatabase(kind) { database in
            let rows = (1...6).map { number -> DiagnosticRecord in
                var row = diagnostic(Int64(number), wanting: [wanted(1), wanted(2)])
                row.app = number == 6 ? nil : number == 5 ? "b" : "a"
                row.fingerprint = number < 4 ? "f1" : "f2"
                return row
            }
            _ = try await database.journal.append((1...6).map { draft($0) })
            try await database.journal.commit(WorkerCommit(lastNumber: 6, diagnostics: rows))
            func waiting(_ number: UInt8, app: String? = nil) async throws -> [String] {
                try await database.archives.groups(waitingFor: image(number), app: app).map {
                    "\($0.app ?? "-") \($0.fingerprint) \($0.diagnosticCount)"
                }
            }
            #expect(try await waiting(1) == ["a f1 3", "- f2 1", "a f2 1", "b f2 1"])
            #expect(try await waiting(1, app: "a") == ["a f1 3", "a f2 1"])
            #expect(try await waiting(9).isEmpty)
            var complete = rows[4]
            complete.revision = 2
            complete.wanted = [wanted(2)]
            try await database.journal.commit(WorkerCommit(lastNumber: 6, revised: [complete]))
            #expect(try await waiting(1, app: "b").isEmpty)
            #expect(try await waiting(2, app: "b") == ["b f2 1"])
        }
    }

    @Test(
        "a NUL ends a name in a query, as in what is stored", arguments: DatabaseKind.allCases)
    func unusualNames(kind: DatabaseKind) async throws {
        try await withDatabase(kind) { database in
            try await fill(database)
            let name = "\0"
            var query = GroupQuery(app: name)
            query.version = name
            query.text = name
            #expect(try await database.archives.groups(query).isEmpty)
            #expect(try await database.archives.groups(fingerprint: name, app: name).isEmpty)
            #expect(try await database.archives.groups(using: image(1), app: name).isEmpty)
            #expect(try await database.archives.groups(waitingFor: image(1), app: name).isEmpty)
            #expect(try await database.archives.versions(of: name).isEmpty)
            #expect(try await database.archives.groupCounts(app: name).isEmpty)
            #expect(try await database.archives.statusCounts(since: .at(0), app: name).isEmpty)
            #expect(try await database.archives.coverage(app: name).isEmpty)
            #expect(try await database.archives.coverage(of: name, app: name) == nil)
            #expect(try await database.archives.figures(FigureQuery(app: name)).isEmpty)
        }
    }
}
