import Logging
import TestSupport
import Testing

@testable import Ingest

@Suite("Metrics and log lines of an exporter", .ownThreads)
struct ExportMetricsTests {
    private let counted = RecordedMetrics()
    private let lines = Collected<String>()

    private func exportMetrics() -> ExportMetrics {
        let lines = lines
        return ExportMetrics(
            exporter: "main", logger: Logger(label: "test") { _ in CollectedLines(lines: lines) },
            metrics: counted)
    }

    private let batch = Records.logs(["a", "b", "c"])

    /// Notes an outcome as a loop does.
    private func record(
        _ metrics: ExportMetrics, _ outcome: ExportOutcome, of batch: ExportBatch, now: Duration
    ) {
        guard let failures = metrics.record(outcome, of: batch, now: now) else { return }
        metrics.log(failures, backlog: Backlog(bytes: 900, count: 3))
    }

    @Test("records are counted by their outcome")
    func counters() {
        let metrics = exportMetrics()
        record(metrics, .accepted(rejectedCount: 0, message: ""), of: batch, now: .zero)
        record(metrics, .accepted(rejectedCount: 1, message: "old"), of: batch, now: .zero)
        record(metrics, .accepted(rejectedCount: 99, message: "wrong"), of: batch, now: .zero)
        record(metrics, .accepted(rejectedCount: -5, message: "wrong"), of: batch, now: .zero)
        record(metrics, .retry(reason: "503", after: nil), of: batch, now: .zero)
        metrics.recordDeadLetter(batch, reason: "400", now: .zero)
        #expect(counted.value("symbolist_export_records_total", "accepted") == 8)
        #expect(counted.value("symbolist_export_records_total", "rejected") == 4)
        #expect(counted.value("symbolist_export_records_total", "dead_lettered") == 3)
        #expect(counted.value("symbolist_export_retries_total", nil) == 1)
    }

    @Test("rejections are logged once a minute, with their sum")
    func rejections() {
        let metrics = exportMetrics()
        for second in 0...60 {
            record(
                metrics, .accepted(rejectedCount: 1, message: "old"), of: batch,
                now: .seconds(second))
        }
        #expect(
            lines.all == [
                "exporter 'main': records rejected, and kept as dead letters: 1: old",
                "exporter 'main': records rejected, and kept as dead letters: 60: old",
            ])
    }

    @Test("a failure is logged once a minute, with the backlog, and then its end")
    func failures() {
        let metrics = exportMetrics()
        for second in 0..<70 {
            record(
                metrics, .refused(reason: "401", isForContent: false), of: batch,
                now: .seconds(second))
        }
        for second in 70..<72 {
            record(
                metrics, .accepted(rejectedCount: 0, message: ""), of: batch, now: .seconds(second))
        }
        #expect(
            lines.all == [
                "exporter 'main': 401: trying again, failed attempts: 1, "
                    + "waiting: 3 requests, 900 bytes",
                "exporter 'main': 401: trying again, failed attempts: 60, "
                    + "no logs accepted for 60 s, waiting: 3 requests, 900 bytes",
                "exporter 'main': accepts logs again",
            ])
    }
}
