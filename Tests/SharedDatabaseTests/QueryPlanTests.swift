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

    @Test("no commit, step or list reads whole days")
    func plans() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            try await fill(cluster, node.database)
            let entries = Parameter.value((1...5).map { Int64($0 * 1_500) }, .array(of: .int8))
            let zeros = Parameter.value([Int32](repeating: 0, count: 5), .array(of: .int4))
            let numbers = Parameter.value((1...5).map { Int32($0) }, .array(of: .int4))
            expectNone(
                try await scans(
                    cluster, RunStorage.lookupText(columns: "uid", end: ""), [entries, zeros]))
            expectNone(
                try await scans(
                    cluster, LaneJournal.numberingText,
                    [
                        entries, zeros, numbers,
                        .value([[UInt8]?](repeating: nil, count: 5), .nullableArray(of: .bytea)),
                    ]))
            expectNone(
                try await scans(
                    cluster, LaneJournal.releaseText,
                    [.value(7, .int8), entries, zeros, numbers]))
            expectNone(
                try await scans(
                    cluster, LaneJournal.nextListsText, [.value(7, .int8), .value(50, .int8)]))
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
