import Ingest
import JournalSupport
import MetricKitSignals
import TestSupport
import Testing

@Suite("Figures of both databases", .serialized, .ownThreads)
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

    private func commit(_ payloads: [ProcessedPayload], to database: any PortDatabase) async throws
    {
        try await database.journal.commit(WorkerCommit(lastNumber: 0, payloads: payloads))
    }

    @Test(
        "payloads are summed by version, weighted by samples, each once",
        arguments: DatabaseKind.allCases)
    func sums(kind: DatabaseKind) async throws {
        try await withDatabase(kind) { database in
            let first = payload(1, firstDraw: samples(3, of: 0.4))
            try await commit([first, first], to: database)
            try await commit(
                [first, payload(2, day: 20_779, firstDraw: samples(1, of: 0.8))], to: database)
            try await commit(
                [payload(3, isLeftOut: true), payload(4, "1.3.0", day: 5)], to: database)
            let figures = try await database.archives.figures(FigureQuery(app: app))
            try #require(figures.map(\.version) == ["1.4.0", "1.3.0"])
            #expect(figures.map(\.payloadCount) == [2, 1])
            #expect(figures.map(\.leftOutCount) == [1, 0])
            #expect(figures.map(\.firstDay) == [20_777, 5])
            #expect(figures.map(\.lastDay) == [20_779, 5])
            let average = try #require(figures[0].averages[.timeToFirstDraw])
            #expect(abs(average.value - 0.5) < 1e-12)
            #expect(abs(average.payloadMean - 0.6) < 1e-12)
            #expect(average.sampleCount == 4)
            #expect(average.payloadCount == 2)
            #expect(figures[1].averages.isEmpty)
        }
    }

    @Test(
        "a query chooses app, version and days, by day or together",
        arguments: DatabaseKind.allCases)
    func queries(kind: DatabaseKind) async throws {
        try await withDatabase(kind) { database in
            try await commit(
                (0..<6).map { payload($0, day: $0 / 2, firstDraw: samples(1, of: Double($0))) },
                to: database)
            try await commit([payload(9, app: "com.example.cider")], to: database)
            var query = FigureQuery(app: app, version: "1.4.0")
            query.firstDay = 1
            query.lastDay = 1
            let one = try await database.archives.figures(query)
            #expect(one.map { $0.averages[.timeToFirstDraw]?.value } == [2.5])
            query.lastDay = nil
            query.isByDay = true
            let days = try await database.archives.figures(query)
            #expect(days.map(\.firstDay) == [2, 1])
            #expect(days.map { $0.averages[.timeToFirstDraw]?.value } == [4.5, 2.5])
            #expect(try await database.archives.figures(FigureQuery()).count == 2)
            #expect(try await database.archives.figures(FigureQuery(limit: 1)).count == 1)
            #expect(try await database.archives.figures(FigureQuery(version: "2")).isEmpty)
        }
    }

    @Test(
        "payloads with equal content and different bytes count once",
        arguments: DatabaseKind.allCases)
    func sameContent(kind: DatabaseKind) async throws {
        try await withDatabase(kind) { database in
            let payloads = (1...3).map {
                payload($0, firstDraw: samples(1, of: 1), content: 1_000 + min($0, 2))
            }
            try await commit(payloads, to: database)
            #expect(try await database.archives.figures(FigureQuery()).map(\.payloadCount) == [2])
        }
    }
}
