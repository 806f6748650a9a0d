import CallStacks
import Ingest
import JournalSupport
import PostgreSQL
import TestSupport
import Testing

@testable import SharedDatabase

@Suite("Plans of queries of diagnostics", .serialized, .ownThreads)
struct QueryPlanTests {
    private static let rowsPerDay = 4_000
    private static let dayCount: Int32 = 8

    /// Fills some days with diagnostics and waits.
    private func fill(_ cluster: TestCluster, _ database: SharedDatabase) async throws {
        try await database.days.prepare(Set(0..<Self.dayCount))
        try await cluster.run(
            """
            INSERT INTO diagnostic SELECT n / \(Self.rowsPerDay), n, 0, ('u' || n)::bytea,
                n::int8 * 86400000 / \(Self.rowsPerDay), 'crash', 'raw', 1, NULL, 1, NULL,
                'app' || n % 50, '1', '1', NULL, NULL, NULL, 'f' || n % 900, 9, 3,
                ARRAY[n % 70]::int8[], ARRAY[2]
            FROM generate_series(0, \(Self.rowsPerDay * Int(Self.dayCount) - 1)) n
            """)
        try await cluster.run(
            """
            INSERT INTO wait (day, image, addresses) SELECT n % \(Self.dayCount), n % 70, ''
            FROM generate_series(1, 30000) n
            """)
        for table in Schema.daily { try await cluster.run("ANALYZE \(table)") }
    }

    private func scans(
        _ cluster: TestCluster, _ text: String, _ parameters: [Parameter]
    ) async throws -> [String] {
        let plan = try await cluster.run("EXPLAIN \(text)", parameters)
        // The days that are made in advance are empty.
        return try plan.map { try $0.value(0, .text) }.filter { line in
            (0..<Self.dayCount).contains { day in
                line.contains("Seq Scan on diagnostic_\(day) ")
                    || line.contains("Seq Scan on wait_\(day) ")
            }
        }
    }

    private func expectNone(_ scans: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(scans == [], sourceLocation: sourceLocation)
    }

    @Test("no commit, step, list or removal of entries reads whole days")
    func plans() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            try await fill(cluster, node.database)
            let entries = Parameter.value((1...5).map { Int64($0 * 1_500) }, .array(of: .int8))
            let zeros = Parameter.value([Int32](repeating: 0, count: 5), .array(of: .int4))
            let numbers = Parameter.value((1...5).map { Int32($0) }, .array(of: .int4))
            let none = Parameter.value(
                [[UInt8]?](repeating: nil, count: 5), .nullableArray(of: .bytea))
            expectNone(
                try await scans(
                    cluster, RunStorage.lookupText(columns: "uid", end: ""), [entries, zeros]))
            expectNone(
                try await scans(
                    cluster, LaneJournal.numberingText,
                    [
                        entries, zeros, numbers, none, none,
                    ]))
            expectNone(
                try await scans(
                    cluster, LaneJournal.releaseText,
                    [.value(7, .int8), entries, zeros, numbers]))
            expectNone(
                try await scans(
                    cluster, LaneJournal.nextListsText, [.value(7, .int8), .value(50, .int8)]))
            expectNone(try await scans(cluster, EntryPartitions.unfinishedText("entry_0"), []))
            expectNone(
                try await scans(
                    cluster, LaneJournal.archivedDaysText, [.value(70, .int8), .value(90, .int8)]))
            for change: (inout DiagnosticQuery) -> Void in [
                { _ in }, { $0.app = "app7" }, { $0.fingerprint = "f8" },
                { $0.before = RecordAddress(entry: 5_000, position: 0) },
                {
                    $0.app = "app7"
                    $0.after = RecordAddress(entry: 5_000, position: 0)
                },
            ] {
                var query = DiagnosticQuery(limit: 50)
                change(&query)
                let list = DiagnosticListStatement(query)
                expectNone(try await scans(cluster, list.text, list.parameters))
            }
        }
    }
}

@Suite("Plans of queries of groups and figures", .serialized, .ownThreads)
struct GroupPlanTests {
    private static let dayCount: Int32 = 8

    /// Fills the tables with sums that have many values.
    private func fill(_ cluster: TestCluster, _ database: SharedDatabase) async throws {
        try await database.days.prepare(Set(0..<Self.dayCount))
        for statement in Self.filling { try await cluster.run(statement) }
    }

    private static let filling = [
        """
        INSERT INTO diagnostic SELECT n / 4000, n, 0, ('u' || n)::bytea, n::int8 * 21600,
            CASE WHEN n % 5 = 0 THEN 'hang' ELSE 'crash' END, 'raw', 1, NULL, 1, NULL,
            'a' || n % 50, 'v' || n % 20, '1', NULL, NULL, NULL, 'f' || n % 900, 9, 3,
            ARRAY[n % 70]::int8[], ARRAY[2]
        FROM generate_series(0, 31999) n
        """,
        """
        INSERT INTO sampled_stack (day, entry, position, size, form, stack)
        SELECT n / 4000, n, 0, 1, 0, 'x' FROM generate_series(0, 31999, 5) n
        """,
        """
        INSERT INTO diagnostic_group (
            app, fingerprint, kind, diagnostics, first_seen, last_seen)
        SELECT 'a' || CASE WHEN n % 2 = 0 THEN 7 ELSE n % 50 END, 'f' || n,
            CASE WHEN n % 5 = 0 THEN 'hang' ELSE 'crash' END, 1 + n % 99, n, 2 * n
        FROM generate_series(1, 20000) n
        """,
        """
        INSERT INTO group_version SELECT id, 'v' || v, app, diagnostics, 0, 9, 3, first_seen,
            last_seen, id % 8, id, 0
        FROM diagnostic_group, generate_series(1, 3) v
        """,
        """
        INSERT INTO group_tally SELECT id, 'v' || v, id % 8, 0, diagnostics, 0, 9, 3
        FROM diagnostic_group, generate_series(1, 3) v
        """,
        """
        INSERT INTO group_image SELECT id, ('i' || id % 300)::bytea, lane, id, id, 0
        FROM diagnostic_group, generate_series(0, 2) lane
        """,
        """
        INSERT INTO version_tally SELECT 'a' || n % 50, 'v' || n % 99, n % 8, n % 3, 9, 9, 3
        FROM generate_series(1, 100000) n ON CONFLICT DO NOTHING
        """,
        """
        INSERT INTO hour_tally SELECT n / 100, 'a' || n % 50, 'raw', n % 2, 1
        FROM generate_series(0, 49999) n ON CONFLICT DO NOTHING
        """,
        """
        INSERT INTO version_day SELECT 'a' || n % 50, 'v' || n % 99, n / 5000, n % 3, 9, 0
        FROM generate_series(0, 49999) n ON CONFLICT DO NOTHING
        """,
        """
        INSERT INTO version_figure SELECT app, version, day, lane, m, 1, 1, 1, 1, 1, 1
        FROM version_day, generate_series(1, 3) m
        """,
        """
        INSERT INTO resend (entry, position, day, marked, held)
        SELECT n, 0, n / 4000, 1, CASE WHEN n % 400 = 0 THEN 2 END
        FROM generate_series(0, 31999) n
        """,
        "ANALYZE",
    ]

    private static let tables = [
        "diagnostic_group", "group_version", "group_tally", "group_image", "version_tally",
        "hour_tally", "version_day", "version_figure", "resend",
    ]

    /// Expects that rows are found through indexes.
    ///
    /// - Parameter isInOrder: Whether they are also read in the order of an index.
    private func expectSearch(
        _ database: SharedDatabase, _ text: String, _ parameters: [Parameter],
        isInOrder: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let plan = try await database.read("EXPLAIN \(text)", parameters).map {
            try $0.value(0, .text)
        }
        let days = (0..<Self.dayCount).flatMap { ["diagnostic_\($0)", "sampled_stack_\($0)"] }
        let wrong = plan.filter { line in
            (Self.tables + days).contains { line.contains("Seq Scan on \($0) ") }
                || isInOrder && line.contains("Sort Key")
        }
        #expect(wrong.isEmpty, "\(plan)", sourceLocation: sourceLocation)
    }

    @Test("lists, sums, versions, images and figures are found through indexes")
    func plans() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            try await fill(cluster, node.database)
            try await expectListsInOrder(node.database)
            try await expectSumsFound(node.database)
            try await expectOthersFound(node.database)
        }
    }

    private func expectListsInOrder(_ database: SharedDatabase) async throws {
        for order in GroupQuery.Order.allCases {
            for (app, version) in [(nil, nil), ("a7", nil), ("a7", "v2")] as [(String?, String?)] {
                for kind in [nil, DiagnosticKind.hang] {
                    for after in [nil, GroupQuery.Position(key: 50, id: 50)] {
                        var query = GroupQuery(app: app, order: order)
                        (query.version, query.kind, query.after) = (version, kind, after)
                        let list = GroupListStatement(query)
                        try await expectSearch(
                            database, list.text, list.parameters, isInOrder: true)
                    }
                }
            }
        }
    }

    private func expectSumsFound(_ database: SharedDatabase) async throws {
        let ids = Parameter.value((1...20).map { Int64($0) }, .array(of: .int8))
        let versions = Parameter.value([String](repeating: "v1", count: 20), .array(of: .text))
        let (app, version) = (Parameter.value("a7", .text), Parameter.value("v2", .text))
        for (text, parameters) in [
            (GroupSummaries.removalText, [ids, versions]),
            (GroupSummaries.versionText, [ids, versions]), (GroupSummaries.groupText, [ids]),
            (GroupSummaries.emptyText, [ids]), (VersionCounts.versionsText, [app]),
            (VersionCounts.coverageText, [app, version]),
            (VersionCounts.appsText, [.value(50, .int8)]),
            (SharedDatabase.versionKindText, [app, version, .value("hang", .text)]),
            (SharedDatabase.hourText, [.value(490, .int4), .optional(nil, .text)]),
        ] { try await expectSearch(database, text, parameters) }
    }

    private func expectOthersFound(_ database: SharedDatabase) async throws {
        try await expectSearch(
            database, SharedDatabase.usingText,
            [.value(Array("i7".utf8), .bytea), .optional(nil, .text), .value(20, .int8)])
        try await expectSearch(database, SharedDatabase.heldText, [])
        for subject in [
            FlameQuery.Subject.version("v5", app: "a5", kind: .hang),
            .group(fingerprint: "f5", app: "a5"), .group(fingerprint: "f5", app: nil),
        ] {
            let list = SampledStackListStatement(FlameQuery(subject))
            try await expectSearch(database, list.text, list.parameters)
        }
        let figures = FigureListStatement(FigureQuery(app: "a7"))
        try await expectSearch(database, figures.text, figures.parameters)
        try await expectSearch(
            database, SharedDatabase.averageText,
            [
                .value(["a7"], .array(of: .text)), .value(["v2"], .array(of: .text)),
                .value([0], .array(of: .int4)), .value([5], .array(of: .int4)),
            ])
    }
}
