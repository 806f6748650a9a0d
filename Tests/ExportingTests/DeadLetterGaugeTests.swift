import CallStacks
import Logging
import TestSupport
import Testing

@testable import Ingest

@Suite("Gauges of dead letters", .ownThreads)
struct DeadLetterGaugeTests {
    private let metrics = RecordedMetrics()
    private let lines = Collected<String>()

    private func gauges(_ flow: MemoryFlow) -> DeadLetterGauges {
        let lines = lines
        return DeadLetterGauges(
            archive: flow, exporters: ["main"],
            logger: Logger(label: "test") { _ in CollectedLines(lines: lines) }, metrics: metrics)
    }

    private func letter(_ exporter: String, recordCount: Int) -> DeadLetter {
        DeadLetter(
            exporter: exporter, signal: .logs, refusal: UnixTime(rawValue: 0), reason: "400",
            recordCount: recordCount, body: [])
    }

    private func value(_ exporter: String) -> Int64? {
        metrics.value("symbolist_dead_letters", exporter)
    }

    @Test("a configured exporter has a gauge from the start, at 0")
    func start() async {
        var state = DeadLetterGauges.State()
        await gauges(MemoryFlow()).update(&state, now: .zero)
        #expect(value("main") == 0)
        #expect(lines.all.isEmpty)
    }

    @Test("the gauge follows the letters, also of exporters that are not configured")
    func letters() async {
        let flow = MemoryFlow()
        let gauges = gauges(flow)
        var state = DeadLetterGauges.State()
        await flow.add(letter("main", recordCount: 3))
        let last = await flow.add(letter("former", recordCount: 1))
        await gauges.update(&state, now: .zero)
        #expect(value("main") == 1)
        #expect(value("former") == 1)
        await flow.removeDeadLetters([last])
        await gauges.update(&state, now: .seconds(5))
        #expect(value("former") == 0)
    }

    @Test("the numbers are logged at the start and once an hour")
    func logLines() async {
        let flow = MemoryFlow()
        let gauges = gauges(flow)
        var state = DeadLetterGauges.State()
        await flow.add(letter("main", recordCount: 3))
        for seconds in [0, 5, 3_599, 3_600, 3_605] {
            await gauges.update(&state, now: .seconds(seconds))
        }
        let line =
            "exporter 'main': dead letters: 1, with 3 records: see GET /v1/dead-letters"
        #expect(lines.all == [line, line])
    }

    @Test("a failed read leaves the gauge unchanged")
    func failure() async {
        let flow = MemoryFlow()
        let gauges = gauges(flow)
        var state = DeadLetterGauges.State()
        await flow.add(letter("main", recordCount: 3))
        await gauges.update(&state, now: .zero)
        await flow.fail(1)
        await gauges.update(&state, now: .seconds(5))
        #expect(value("main") == 1)
    }
}
