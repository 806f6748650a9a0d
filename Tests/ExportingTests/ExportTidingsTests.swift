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

    @Test("records are counted by what became of them")
    func counters() {
        let tidings = tidings()
        tidings.note(.taken(rejectedCount: 0, message: ""), of: batch, now: .zero)
        tidings.note(.taken(rejectedCount: 1, message: "old"), of: batch, now: .zero)
        tidings.note(.taken(rejectedCount: 99, message: "lies"), of: batch, now: .zero)
        tidings.note(.taken(rejectedCount: -5, message: "lies"), of: batch, now: .zero)
        tidings.note(.retry(reason: "503", after: nil), of: batch, now: .zero)
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
            tidings.note(
                .taken(rejectedCount: 1, message: "old"), of: batch, now: .seconds(second))
        }
        #expect(
            lines.all == [
                "exporter 'main': records rejected: 1: old",
                "exporter 'main': records rejected: 60: old",
            ])
    }

    @Test("a failure is told, and that it is over")
    func failures() {
        let tidings = tidings()
        for second in 0..<10 {
            tidings.note(.retry(reason: "503", after: nil), of: batch, now: .seconds(second))
        }
        for second in 10..<12 {
            tidings.note(
                .taken(rejectedCount: 0, message: ""), of: batch, now: .seconds(second))
        }
        #expect(
            lines.all == [
                "exporter 'main': 503: trying again, failed attempts: 1",
                "exporter 'main': takes batches again",
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
