import Logging
import Metrics
import Synchronization
import Testing

@testable import Ingest

@Suite("What operators see of an exporter")
struct ExportTidingsTests {
    private let metrics = CountedMetrics()
    private let lines = Collected<String>()

    private func tidings() -> ExportTidings {
        let lines = lines
        return ExportTidings(
            exporter: "main", logger: Logger(label: "test") { _ in CollectedLines(lines: lines) },
            metrics: metrics)
    }

    private let batch = Records.logs(["a", "b", "c"])

    /// What a loop does with an answer.
    private func note(
        _ tidings: ExportTidings, _ outcome: ExportOutcome, of batch: ExportBatch, now: Duration
    ) {
        guard let failures = tidings.note(outcome, of: batch, now: now) else { return }
        tidings.tell(failures, waiting: Backlog(bytes: 900, count: 3))
    }

    @Test("records are counted by what became of them")
    func counters() {
        let tidings = tidings()
        note(tidings, .taken(rejectedCount: 0, message: ""), of: batch, now: .zero)
        note(tidings, .taken(rejectedCount: 1, message: "old"), of: batch, now: .zero)
        note(tidings, .taken(rejectedCount: 99, message: "lies"), of: batch, now: .zero)
        note(tidings, .taken(rejectedCount: -5, message: "lies"), of: batch, now: .zero)
        note(tidings, .retry(reason: "503", after: nil), of: batch, now: .zero)
        tidings.noteBurial(batch, reason: "400", now: .zero)
        #expect(metrics.value("symbolist_export_records_total", "taken") == 8)
        #expect(metrics.value("symbolist_export_records_total", "rejected") == 4)
        #expect(metrics.value("symbolist_export_records_total", "buried") == 3)
        #expect(metrics.value("symbolist_export_retries_total", nil) == 1)
    }

    @Test("rejections are told once a minute, with their sum")
    func rejections() {
        let tidings = tidings()
        for second in 0...60 {
            note(
                tidings, .taken(rejectedCount: 1, message: "old"), of: batch,
                now: .seconds(second))
        }
        #expect(
            lines.all == [
                "exporter 'main': records rejected, and kept as dead letters: 1: old",
                "exporter 'main': records rejected, and kept as dead letters: 60: old",
            ])
    }

    @Test("a failure is told once a minute, with what waits, and that it is over")
    func failures() {
        let tidings = tidings()
        for second in 0..<70 {
            note(
                tidings, .refused(reason: "401", isForContent: false), of: batch,
                now: .seconds(second))
        }
        for second in 70..<72 {
            note(
                tidings, .taken(rejectedCount: 0, message: ""), of: batch, now: .seconds(second))
        }
        #expect(
            lines.all == [
                "exporter 'main': 401: trying again, failed attempts: 1, "
                    + "waiting: 3 requests, 900 bytes",
                "exporter 'main': 401: trying again, failed attempts: 60, "
                    + "no logs taken for 60 s, waiting: 3 requests, 900 bytes",
                "exporter 'main': takes logs again",
            ])
    }
}

/// Counters by their label and the dimension `outcome`.
private final class CountedMetrics: MetricsFactory {
    private let counts = Mutex<[String: Int64]>([:])

    func value(_ label: String, _ outcome: String?) -> Int64 {
        counts.withLock { $0[label + (outcome ?? "")] ?? 0 }
    }

    fileprivate func add(_ amount: Int64, to key: String) {
        counts.withLock { $0[key, default: 0] += amount }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let outcome = dimensions.first { $0.0 == "outcome" }?.1
        return CountedCounter(metrics: self, key: label + (outcome ?? ""))
    }

    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler { NOOPMetricsHandler.instance }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        NOOPMetricsHandler.instance
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}

private final class CountedCounter: CounterHandler {
    private let metrics: CountedMetrics
    private let key: String

    init(metrics: CountedMetrics, key: String) {
        self.metrics = metrics
        self.key = key
    }

    func increment(by amount: Int64) { metrics.add(amount, to: key) }
    func reset() {}
}

private struct CollectedLines: LogHandler {
    let lines: Collected<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(lines: Collected<String>) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.add("\(event.message)") }
}
