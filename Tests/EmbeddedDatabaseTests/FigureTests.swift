import GRDB
import Ingest
import JournalSupport
import MetricKitSignals
import TestSupport
import Testing

@testable import EmbeddedDatabase

/// The figures of app versions in the database.
@Suite("Figures")
struct FigureTests {
    private let app = "com.example.orchard"

    private func payload(
        _ number: Int, _ version: String = "1.4.0", day: Int = 20_777, app: String? = nil,
        isLeftOut: Bool = false, firstDraw: PayloadFigures.Figure? = nil, content: Int? = nil
    ) -> ProcessedPayload {
        let figures = PayloadFigures(
            app: app ?? self.app, version: version, day: day, spansSeveralVersions: isLeftOut,
            figures: firstDraw.map { [.timeToFirstDraw: $0] } ?? [:],
            digest: draft(content ?? 1_000 + number).key.bytes)
        return ProcessedPayload(key: draft(number).key, figures: [figures])
    }

    private func samples(_ count: Double, of value: Double) -> PayloadFigures.Figure {
        PayloadFigures.Figure(total: count * value, weight: count, sampleCount: count)
    }

    private func commit(_ payloads: [ProcessedPayload], to database: EmbeddedDatabase) async throws
    {
        try await database.commit(WorkerCommit(lastNumber: 0, payloads: payloads))
    }

    @Test("a payload is known after its entry is removed")
    func known() async throws {
        try await withDatabase { database in
            let entry = JournalSupport.payload(1)
            _ = try await database.append([entry])
            try await database.commit(
                WorkerCommit(lastNumber: 1, payloads: [ProcessedPayload(key: entry.key)]))
            #expect(try await database.removePassed(count: 9) == 1)
            #expect(try await database.append([entry, JournalSupport.payload(2)]) == [nil, 2])
        }
    }

    @Test("the oldest days beyond the limit are removed with their figures")
    func bound() async throws {
        try await withDatabase { database in
            try await commit([payload(1, day: 0, firstDraw: samples(1, of: 1))], to: database)
            try await database.writer.write { db in
                try db.execute(
                    sql: """
                        WITH RECURSIVE days(day) AS (
                            SELECT 1 UNION ALL SELECT day + 1 FROM days WHERE day < ?)
                        INSERT INTO version_day (app, version, day, payloads, left_out)
                        SELECT 'com.example.cider', '1', day, 1, 0 FROM days
                        """, arguments: [FigureTable.daysLimit - 1])
            }
            #expect(try await database.figures(FigureQuery(app: app)).count == 1)
            try await commit([payload(2, "1.5.0", day: -1)], to: database)
            #expect(try await database.figures(FigureQuery(app: app)).map(\.version) == ["1.5.0"])
            let rest = try await database.read { db in
                try Int.fetchAll(
                    db,
                    sql: """
                        SELECT count(*) FROM version_day
                        UNION ALL SELECT count(*) FROM version_figure
                        """)
            }
            #expect(rest == [FigureTable.daysLimit, 0])
        }
    }

    @Test("an old database has figures once it is opened")
    func migration() async throws {
        let folder = try DataFolder()
        try await folder.open().close()
        try await DatabaseQueue(path: folder.file).write { db in
            try db.execute(
                sql: """
                    DROP TABLE version_figure; DROP TABLE version_day; DROP TABLE seen_payload;
                    DELETE FROM grdb_migrations WHERE identifier LIKE '2:%';
                    """)
        }
        let database = try folder.open()
        try await commit([payload(1)], to: database)
        #expect(try await database.figures(FigureQuery()).count == 1)
        try await database.close()
    }
}
