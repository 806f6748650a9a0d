import CallStacks
import MetricKitSignals
import OTLP
import TestSupport
import Testing

/// Metric payloads as spans.
@Suite("Metric payloads")
struct MetricPayloadTests {
    /// The table, written once more: the attributes that OpenTelemetry's instrumentation sends.
    static let expected: [String: AnyValue.OneOf_Value] = [
        "metrickit.includes_multiple_application_versions": .boolValue(true),
        "metrickit.latest_application_version": .stringValue("1.4.0"),
        "metrickit.timestamp_begin": .doubleValue(1_795_132_800),
        "metrickit.timestamp_end": .doubleValue(1_795_219_140),
        "metrickit.metadata.app_build_version": .stringValue("217"),
        "metrickit.metadata.device_type": .stringValue("Pear7,3"),
        "metrickit.metadata.os_version": .stringValue("iPhone OS 18.1 (22B83)"),
        "metrickit.metadata.region_format": .stringValue("CH"),
        "metrickit.metadata.platform_arch": .stringValue("arm64e"),
        "metrickit.metadata.is_test_flight_app": .boolValue(true),
        "metrickit.metadata.low_power_mode_enabled": .boolValue(false),
        "metrickit.metadata.pid": .intValue(4_711),
        "metrickit.app_launch.time_to_first_draw_average": .doubleValue(0.125),
        "metrickit.app_launch.app_resume_time_average": .doubleValue(0.225),
        "metrickit.app_launch.optimized_time_to_first_draw_average": .doubleValue(0.64),
        "metrickit.app_launch.extended_launch_average": .doubleValue(2),
        "metrickit.app_responsiveness.hang_time_average": .doubleValue(0.5),
        "metrickit.cellular_condition.bars_average": .doubleValue(2.5),
        "metrickit.cellular_condition.cellular_condition_time_average": .doubleValue(2.5),
        "metrickit.location_activity.best_accuracy_time": .doubleValue(20),
        "metrickit.location_activity.best_accuracy_for_nav_time": .doubleValue(21),
        "metrickit.location_activity.accuracy_10m_time": .doubleValue(22),
        "metrickit.location_activity.accuracy_100m_time": .doubleValue(23),
        "metrickit.location_activity.accuracy_1km_time": .doubleValue(24),
        "metrickit.location_activity.accuracy_3km_time": .doubleValue(25),
        "metrickit.network_transfer.wifi_upload": .doubleValue(60e6),
        "metrickit.network_transfer.wifi_download": .doubleValue(90e6),
        "metrickit.network_transfer.cellular_upload": .doubleValue(80e6),
        "metrickit.network_transfer.cellular_download": .doubleValue(1e6),
        "metrickit.app_exit.foreground.normal_app_exit_count": .intValue(1),
        "metrickit.app_exit.foreground.memory_resource_limit_exit-count": .intValue(2),
        "metrickit.app_exit.foreground.bad_access_exit_count": .intValue(3),
        "metrickit.app_exit.foreground.abnormal_exit_count": .intValue(4),
        "metrickit.app_exit.foreground.illegal_instruction_exit_count": .intValue(5),
        "metrickit.app_exit.foreground.app_watchdog_exit_count": .intValue(6),
        "metrickit.app_exit.background.normal_app_exit_count": .intValue(7),
        "metrickit.app_exit.background.memory_resource_limit_exit_count": .intValue(8),
        "metrickit.app_exit.background.cpu_resource_limit_exit_count": .intValue(9),
        "metrickit.app_exit.background.memory_pressure_exit_count": .intValue(10),
        "metrickit.app_exit.background.bad_access-exit_count": .intValue(11),
        "metrickit.app_exit.background.abnormal_exit_count": .intValue(12),
        "metrickit.app_exit.background.illegal_instruction_exit_count": .intValue(13),
        "metrickit.app_exit.background.app_watchdog_exit_count": .intValue(14),
        "metrickit.app_exit.background.suspended_with_locked_file_exit_count": .intValue(15),
        "metrickit.app_exit.background.background_task_assertion_timeout_exit_count":
            .intValue(16),
        "metrickit.animation.scroll_hitch_time_ratio": .doubleValue(4),
        "metrickit.app_time.foreground_time": .doubleValue(1_800),
        "metrickit.app_time.background_time": .doubleValue(40),
        "metrickit.app_time.background_audio_time": .doubleValue(30),
        "metrickit.app_time.background_location_time": .doubleValue(35),
        "metrickit.cpu.cpu_time": .doubleValue(100),
        "metrickit.cpu.instruction_count": .doubleValue(102),
        "metrickit.gpu.time": .doubleValue(19),
        "metrickit.diskio.logical_write_count": .doubleValue(1_300_000),
        "metrickit.memory.peak_memory_usage": .doubleValue(200e6),
        "metrickit.memory.suspended_memory_average": .doubleValue(100e6),
        "metrickit.display.pixel_luminance_average": .doubleValue(50),
    ]

    @Test("a complete payload becomes exactly the 57 attributes")
    func everything() {
        let signals = signals(OrchardMetrics.everything)
        #expect(Self.expected.count == 57)
        let attributes = signals.spanAttributes()
        #expect(Set(attributes.keys) == Set(Self.expected.keys))
        for (key, value) in Self.expected { expectSame(attributes[key], value, key) }
        #expect(signals.problems.isEmpty, "\(signals.problems.text)")
        #expect(signals.records.isEmpty)
    }

    /// Compares values of the same type, doubles except for the last bits.
    private func expectSame(
        _ value: AnyValue.OneOf_Value?, _ expected: AnyValue.OneOf_Value, _ key: String
    ) {
        if case .doubleValue(let number)? = value, case .doubleValue(let wanted) = expected {
            #expect(abs(number - wanted) <= wanted * 1e-12, "\(key): \(number)")
        } else {
            #expect(value == expected, "\(key)")
        }
    }

    @Test("the spans are roots with the instrumentation's names, scope and times")
    func envelope() throws {
        let signals = signals(OrchardMetrics.everything)
        let request = try #require(signals.traces)
        #expect(request.resourceSpans.count == 1)
        let scope = try #require(request.resourceSpans.first?.scopeSpans.first)
        #expect(scope.scope.name == "MetricKit")
        #expect(scope.scope.version == "0.0.1")
        let spans = signals.spans
        #expect(spans.map(\.name) == ["MXMetricPayload", "MXSignpostMetric", "MXSignpostMetric"])
        try #require(!spans.isEmpty)
        #expect(seconds(spans[0].startTimeUnixNano) == 1_795_132_800)
        #expect(seconds(spans[0].endTimeUnixNano) == 1_795_219_140)
        for span in spans.dropFirst() {
            #expect(span.startTimeUnixNano == arrival.nanoseconds)
            #expect(span.endTimeUnixNano == arrival.nanoseconds)
        }
        for span in spans {
            #expect(span.parentSpanID.isEmpty)
            #expect(span.kind == .internal)
            #expect(!span.hasStatus)
            #expect(span.traceID.count == 16 && span.spanID.count == 8)
        }
        #expect(Set(spans.map(\.traceID)).count == 3)
        let resource = try #require(request.resourceSpans.first?.resource.attributes.byKey)
        let expected = [
            "service.name": "com.example.orchard", "service.version": "1.4.0",
            "device.model.identifier": "Pear7,3",
            "device.manufacturer": "Apple", "host.arch": "arm64e", "os.type": "darwin",
            "os.description": "iPhone OS 18.1 (22B83)", "os.name": "iOS", "os.version": "18.1",
            "os.build_id": "22B83",
        ]
        #expect(resource == expected.mapValues { .stringValue($0) })
    }

    @Test("a signpost becomes those of the seven attributes that it has")
    func signposts() {
        let signals = signals(OrchardMetrics.everything)
        #expect(
            signals.spanAttributes(1) == [
                "signpost.name": .stringValue("pick"),
                "signpost.category": .stringValue("harvest"), "signpost.count": .intValue(31),
                "signpost.cpu_time": .doubleValue(12),
                "signpost.memory_average": .doubleValue(90e6),
                "signpost.logical_write_count": .doubleValue(400_000),
                "signpost.hitch_time_ratio": .doubleValue(7),
            ])
        #expect(
            signals.spanAttributes(2) == [
                "signpost.name": .stringValue("press"),
                "signpost.category": .stringValue("cider"), "signpost.count": .intValue(2),
            ])
    }

    @Test("a payload always has the same identifiers, and another one has others")
    func identifiers() {
        let once = signals(OrchardMetrics.everything)
        #expect(once.traces == signals(OrchardMetrics.everything).traces)
        let other = signals(OrchardMetrics.everything + " ")
        #expect(Set(once.spans.map(\.traceID)).isDisjoint(with: other.spans.map(\.traceID)))
    }

    @Test("a payload without metrics only has the attribute for a single version")
    func nothing() {
        let signals = signals(
            #"{"timeStampEnd": "2026-11-20 10:00:00 +0000", "metaData": {}}"#)
        #expect(
            signals.spanAttributes() == [
                "metrickit.includes_multiple_application_versions": .boolValue(false),
                "metrickit.timestamp_end": .doubleValue(1_795_168_800),
            ])
        #expect(signals.spans.first?.startTimeUnixNano == signals.spans.first?.endTimeUnixNano)
    }

    @Test("missing exit counts are zero, unless all of them are missing")
    func exits() {
        let signals = signals(
            #"{"appVersion": "1", "timeStampEnd": "2026-11-20 10:00:00 +0000","#
                + #""applicationExitMetrics": {"foregroundExitData": {}}}"#)
        let counts = signals.spanAttributes().filter { $0.key.contains("app_exit") }
        #expect(counts.count == 6)
        #expect(counts.values.allSatisfy { $0 == .intValue(0) })
    }

    private func launch(_ histogram: String, key: String = "histogrammedTimeToFirstDrawKey")
        -> PayloadSignals
    {
        signals(
            #"{"appVersion": "1", "timeStampEnd": "2026-11-20 10:00:00 +0000","#
                + #""applicationLaunchMetrics": {"\#(key)": \#(histogram)}}"#)
    }

    private let firstDraw = "metrickit.app_launch.time_to_first_draw_average"

    @Test(
        "a mean does not depend on the order and form of the buckets",
        arguments: [
            #"{"histogramValue": {"10": {"bucketCount": 2, "bucketStart": "100 ms", "bucketEnd": "300 ms"}, "2": {"bucketCount": 2, "bucketStart": "0 ms", "bucketEnd": "100 ms"}}}"#,
            #"{"histogramValue": {"0": {"bucketCount": "2", "bucketStart": "0 ms", "bucketEnd": "100 ms"}, "1": {"bucketCount": "0x2", "bucketStart": "100 ms", "bucketEnd": "300 ms"}}}"#,
            #"{"histogramValue": [{"bucketCount": 2, "bucketStart": 0, "bucketEnd": 0.1}, {"bucketCount": 2, "bucketStart": "0.1 s", "bucketEnd": "0.3 s"}, {"bucketCount": 0, "bucketStart": "9 s", "bucketEnd": "9 s"}]}"#,
        ])
    func means(histogram: String) {
        for key in ["histogrammedTimeToFirstDrawKey", "histogrammedTimeToFirstDraw"] {
            let value = launch(histogram, key: key).spanAttributes()[firstDraw]
            guard case .doubleValue(let mean)? = value else {
                Issue.record("\(key) has no mean")
                continue
            }
            #expect(abs(mean - 0.125) < 1e-12)
        }
    }

    @Test(
        "a mean of no samples is absent",
        arguments: [
            #"{"histogramValue": {}}"#, "null",
            #"{"histogramValue": {"0": {"bucketCount": 0, "bucketStart": "0 ms", "bucketEnd": "1 ms"}}}"#,
        ])
    func noMean(histogram: String) {
        let signals = launch(histogram)
        #expect(signals.spanAttributes()[firstDraw] == nil)
        #expect(signals.problems.isEmpty)
    }
}
