import CoreMetrics
import TestSupport
import Testing

@testable import Telemetry

@Suite("Metrics for Prometheus")
struct PrometheusMetricsTests {
    let metrics = PrometheusMetrics(descriptions: ["requests": "What came in,\nby \\ and \"path\"."]
    )

    func parsed() throws -> Exposition { try Exposition(metrics.exposition()) }

    @Test("a counter increases, and has a description and a suffix")
    func counter() throws {
        let counter = Counter(
            label: "requests", dimensions: [("method", "POST")], factory: metrics)
        counter.increment()
        counter.increment(by: 41)
        counter.increment(by: -7)
        let family = try #require(try parsed().families["requests_total"])
        #expect(family.kind == "counter")
        #expect(family.meaning == #"What came in,\nby \\ and "path"."#)
        #expect(try parsed().value("requests_total", ["method": "POST"]) == 42)
        counter.reset()
        #expect(try parsed().value("requests_total", ["method": "POST"]) == 0)
    }

    @Test("a counter accepts fractions and ignores invalid increments")
    func floatingPointCounter() throws {
        let counter = FloatingPointCounter(label: "cpu.seconds", factory: metrics)
        for amount in [0.5, 0.25, -1, .nan, .infinity] { counter.increment(by: amount) }
        #expect(try parsed().value("cpu_seconds_total") == 0.75)
    }

    @Test("gauges have the last value, and meters count up and down")
    func gauges() throws {
        Gauge(label: "queue.bytes", factory: metrics).record(5)
        Gauge(label: "queue.bytes", factory: metrics).record(3)
        let meter = Meter(label: "active", factory: metrics)
        meter.set(2.5)
        meter.increment()
        meter.decrement(by: 3)
        #expect(try parsed().families["queue_bytes"]?.kind == "gauge")
        #expect(try parsed().value("queue_bytes") == 3)
        #expect(try parsed().value("active") == 0.5)
    }

    @Test("a number that is not finite is written in the exposition format")
    func notFinite() throws {
        Gauge(label: "a", factory: metrics).record(Double.infinity)
        Gauge(label: "b", factory: metrics).record(-Double.infinity)
        Gauge(label: "c", factory: metrics).record(Double.nan)
        #expect(try parsed().value("a") == .infinity)
        #expect(try parsed().value("b") == -.infinity)
        #expect(try parsed().value("c")?.isNaN == true)
    }

    @Test("a timer is a histogram of seconds")
    func timer() throws {
        let timer = Timer(label: "work", dimensions: [("kind", "crash")], factory: metrics)
        timer.recordMilliseconds(2)
        timer.recordMicroseconds(100)
        timer.recordSeconds(1_000)
        timer.recordNanoseconds(-5)
        let text = try parsed()
        func bucket(_ bound: String) -> Double? {
            text.value("work_seconds_bucket", ["kind": "crash", "le": bound])
        }
        #expect(text.families["work_seconds"]?.kind == "histogram")
        // A value equal to a bound belongs to its bucket.
        #expect(bucket("0.0001") == 2)
        #expect(bucket("0.001") == 2)
        #expect(bucket("0.0025") == 3)
        #expect(bucket("300.0") == 3)
        #expect(bucket("+Inf") == 4)
        let sum = try #require(text.value("work_seconds_sum", ["kind": "crash"]))
        #expect(abs(sum - 1_000.0021) < 1e-9)
    }

    @Test("a recorder has buckets for its unit")
    func recorder() throws {
        let sizes = Recorder(label: "body.bytes", factory: metrics)
        sizes.record(20_000)
        sizes.record(Double.nan)
        Recorder(label: "frames", factory: metrics).record(30)
        #expect(try parsed().value("body_bytes_bucket", ["le": "16384.0"]) == 0)
        #expect(try parsed().value("body_bytes_bucket", ["le": "65536.0"]) == 1)
        #expect(try parsed().value("body_bytes_sum") == 20_000)
        #expect(try parsed().value("frames_bucket", ["le": "20.0"]) == 0)
        #expect(try parsed().value("frames_bucket", ["le": "50.0"]) == 1)
    }

    @Test("handlers with the same labels in any order share a series")
    func sharing() throws {
        Counter(label: "n", dimensions: [("a", "1"), ("b", "2")], factory: metrics).increment()
        let second = Counter(label: "n", dimensions: [("b", "2"), ("a", "1")], factory: metrics)
        second.increment()
        second.destroy()
        let samples = try #require(try parsed().families["n_total"]?.samples)
        #expect(samples.count == 1)
        #expect(samples.first?.labels.map(\.name) == ["a", "b"])
        #expect(samples.first?.value == 2)
    }

    @Test("invalid names and labels are replaced by valid ones")
    func names() throws {
        let labels = [("le", "x"), ("9.te", "y"), ("__name__", "z"), ("", "w"), ("ok", "é")]
        Meter(label: "1 größe/s", dimensions: labels, factory: metrics).set(1)
        let found = try #require(try parsed().families["_1_gr____e_s"]?.samples.first)
        #expect(
            found.labels.map(\.name) == ["_", "_9_te", "label___name__", "label_le", "ok"])
        #expect(found.labels.last?.value == "é")
    }

    @Test(
        "values of labels are read back unchanged", arguments: ["\"", "\\", "\n", "a\\\"b\nc", ""])
    func escapes(value: String) throws {
        Meter(label: "m", dimensions: [("label", value)], factory: metrics).set(7)
        #expect(try parsed().value("m", ["label": value]) == 7)
    }

    @Test("a long label value is truncated at a character boundary")
    func longValue() throws {
        let value = String(repeating: "€", count: 200)
        Meter(label: "m", dimensions: [("label", value)], factory: metrics).set(7)
        let expected = String(repeating: "€", count: SeriesLabels.valueBytesLimit / 3)
        #expect(try parsed().value("m", ["label": expected]) == 7)
    }

    @Test("label sets beyond the limit share a series")
    func seriesLimit() throws {
        for number in 0..<PrometheusMetrics.seriesLimit + 10 {
            Counter(label: "n", dimensions: [("id", "\(number)")], factory: metrics).increment()
        }
        let text = try parsed()
        #expect(text.families["n_total"]?.samples.count == PrometheusMetrics.seriesLimit + 1)
        #expect(text.value("n_total", ["id": "other"]) == 10)
        #expect(text.value("n_total", ["id": "0"]) == 1)
    }

    @Test("metrics beyond the limit are not exposed")
    func familyLimit() throws {
        for number in 0...PrometheusMetrics.familyLimit {
            Meter(label: "m\(number)", factory: metrics).set(1)
        }
        #expect(try parsed().value("m\(PrometheusMetrics.familyLimit - 1)") == 1)
        #expect(try parsed().families["m\(PrometheusMetrics.familyLimit)"] == nil)
    }

    @Test("two kinds of metric with the same name are both exposed")
    func oneName() throws {
        Recorder(label: "depth", factory: metrics).record(1)
        Gauge(label: "depth", factory: metrics).record(2)
        #expect(try parsed().families["depth"]?.kind == "histogram")
        #expect(try parsed().value("depth_gauge") == 2)
    }

    @Test("concurrent increments are not lost")
    func concurrency() async throws {
        let counter = FloatingPointCounter(label: "n", factory: metrics)
        let timer = Timer(label: "t", factory: metrics)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1_000 {
                        counter.increment(by: 1)
                        timer.recordNanoseconds(1)
                    }
                }
            }
        }
        #expect(try parsed().value("n_total") == 8_000)
        #expect(try parsed().value("t_seconds_count") == 8_000)
    }

    @Test("the resource use of the process is exposed")
    func process() throws {
        let text = try parsed()
        #expect(try #require(text.value("process_resident_memory_bytes")) > 1_048_576)
        #expect(try #require(text.value("process_virtual_memory_bytes")) > 1_048_576)
        #expect(try #require(text.value("process_cpu_seconds_total")) > 0)
        #expect(try #require(text.value("process_open_fds")) >= 3)
        #expect(try #require(text.value("process_max_fds")) >= 3)
        // Later than 2020.
        #expect(try #require(text.value("process_start_time_seconds")) > 1_577_836_800)
    }

    @Test("a program name with parentheses does not affect parsing of its status")
    func processStatus() {
        let numbers = (4...22).map { "\($0)" }.joined(separator: " ")
        let status = ProcessStatus("12 (a) b (c)) S \(numbers) 4096 17 0 0\n")
        #expect(status?.startTicks == 22)
        #expect(status?.virtualBytes == 4_096)
        #expect(status?.residentPages == 17)
        #expect(ProcessStatus("12 (a) S 1 2 3") == nil)
        #expect(ProcessStatus("") == nil)
    }
}
