import MetricKitSignals
import OTLP
import TestSupport
import Testing

/// Invalid, unknown and incomplete values are kept, counted and reported.
@Suite("Bad MetricKit payloads")
struct BadInputTests {
    private static let error = "symbolist.conversion.error"
    private static let unread = "symbolist.conversion.unread"

    private func metrics(_ members: String) -> PayloadSignals {
        signals(
            #"{"appVersion": "1.4.0", "timeStampEnd": "2026-11-20 10:00:00 +0000", \#(members)}"#)
    }

    @Test("a value with an unknown unit has no attribute, and is kept with the unknown members")
    func unknownUnit() {
        let signals = metrics(#""cpuMetrics": {"cumulativeCPUTime": "12 fortnights"}"#)
        let attributes = signals.spanAttributes()
        #expect(attributes["metrickit.cpu.cpu_time"] == nil)
        #expect(
            attributes["metrickit.unmapped.cpuMetrics.cumulativeCPUTime"]
                == .stringValue("12 fortnights"))
        #expect(attributes["symbolist.conversion.remarks"] == .strings(["unit_unknown"]))
        #expect(attributes[Self.unread] == .intValue(1))
        #expect(attributes[Self.error]?.string?.contains("cpuMetrics.cumulativeCPUTime") == true)
        #expect(signals.problems.count == 1)
    }

    @Test(
        "a value of the wrong type is kept with the unknown members and reported",
        arguments: [
            (
                #"{"cumulativeCPUTime": {"a": [1]}}"#, "cpuMetrics", "cumulativeCPUTime",
                #"{"a":[1]}"#
            ),
            (#"{"pid": "many"}"#, "metaData", "pid", "many"),
            (#"{"deviceType": [5]}"#, "metaData", "deviceType", "[5]"),
            (#"{"isTestFlightApp": "perhaps"}"#, "metaData", "isTestFlightApp", "perhaps"),
            (#""perhaps""#, "multipleAppVersions", nil, "perhaps"),
            (#""yesterday""#, "timeStampBegin", nil, "yesterday"),
            (
                #"{"histogrammedResumeTime": "slow"}"#, "applicationLaunchMetrics",
                "histogrammedResumeTime", "slow"
            ),
            (#""all""#, "cpuMetrics", nil, "all"), (#""none""#, "signpostMetrics", nil, "none"),
        ] as [(String, String, String?, String)])
    func wrongTypes(value: String, group: String, member: String?, text: String) {
        let signals = metrics(#""\#(group)": \#(value)"#)
        let attributes = signals.spanAttributes()
        let path = ([group] + [member].compactMap(\.self)).joined(separator: ".")
        #expect(attributes["metrickit.unmapped." + path] == .stringValue(text))
        #expect(attributes.values.count { $0 == .stringValue(text) } == 1)
        #expect(attributes[Self.unread] == .intValue(1))
        #expect(attributes["metrickit.latest_application_version"] == .stringValue("1.4.0"))
    }

    @Test("unknown members are kept with their types and are not a problem")
    func unknownMembers() {
        let signals = metrics(
            #""cameraMetrics": {"cumulativeBlinks": 3}, "cpuMetrics": {"cumulativeNaps": "2 sec", "#
                + #""isTired": true, "ratio": 0.5, "count": 18446744073709551615}"#)
        let attributes = signals.spanAttributes()
        let prefix = "metrickit.unmapped."
        #expect(attributes[prefix + "cameraMetrics"] == .stringValue(#"{"cumulativeBlinks":3}"#))
        #expect(attributes[prefix + "cpuMetrics.cumulativeNaps"] == .stringValue("2 sec"))
        #expect(attributes[prefix + "cpuMetrics.isTired"] == .boolValue(true))
        #expect(attributes[prefix + "cpuMetrics.ratio"] == .doubleValue(0.5))
        #expect(attributes[prefix + "cpuMetrics.count"] == .intValue(-1))
        #expect(signals.problems.isEmpty)
    }

    @Test("unknown members are kept up to a limit, and the rest is counted")
    func tooManyMembers() {
        let members = (0..<70).map { #""unheard\#($0)": \#($0)"# }.joined(separator: ", ")
        let signals = metrics(members)
        let carried = signals.spanAttributes().keys.filter { $0.hasPrefix("metrickit.unmapped.") }
        #expect(carried.count == 64)
        #expect(signals.problems.count == 6)
    }

    @Test("an invalid bucket is excluded from the mean, and the histogram is kept")
    func badBucket() {
        let signals = metrics(
            #""applicationLaunchMetrics": {"histogrammedResumeTime": {"histogramValue": {"#
                + #""0": {"bucketCount": 1, "bucketStart": "0 ms", "bucketEnd": "2 s"}, "#
                + #""1": {"bucketCount": 1, "bucketStart": "0 moons", "bucketEnd": "2 s"}}}}"#)
        let attributes = signals.spanAttributes()
        #expect(attributes["metrickit.app_launch.app_resume_time_average"] == .doubleValue(1))
        #expect(
            attributes["metrickit.unmapped.applicationLaunchMetrics.histogrammedResumeTime"]?
                .string?.contains("moons") == true)
        #expect(signals.problems.count == 1)
    }

    @Test(
        "the first half of a payload becomes a span with an error",
        arguments: [400, 900, 2_500])
    func half(length: Int) {
        let text = String(OrchardMetrics.everything.prefix(length))
        let signals = signals(text)
        let attributes = signals.spanAttributes()
        #expect(attributes["metrickit.latest_application_version"] == .stringValue("1.4.0"))
        #expect(attributes[Self.error]?.string?.contains("json") == true)
        #expect(signals.figures.isEmpty)
        #expect(!signals.problems.isEmpty)
    }

    @Test("a payload truncated at any byte neither traps nor gains attributes")
    func anyPrefix() {
        let text = Array(OrchardMetrics.everything.utf8)
        let whole = Set(signals(OrchardMetrics.everything).spanAttributes().keys)
        for length in stride(from: 0, to: text.count, by: 7) {
            let keys = signals(String(decoding: text[..<length], as: UTF8.self)).spanAttributes()
                .keys
            #expect(keys.allSatisfy { whole.contains($0) || !$0.hasPrefix("metrickit.app") })
        }
    }

    @Test("a damaged payload does not trap", arguments: UInt64(0)..<100)
    func damage(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var text = Array(OrchardMetrics.everything.utf8)
        for _ in 0..<Int.random(in: 1...20, using: &numbers) {
            text[Int.random(in: 0..<text.count, using: &numbers)] =
                UInt8.random(in: 0x20...0x7e, using: &numbers)
        }
        let made = signals(String(decoding: text, as: UTF8.self))
        #expect(made.spans.count <= 3)
        _ = try? made.traces?.encoded(as: .json)
    }

    @Test("dates are those that were sent, or the time of reception if they are implausible")
    func dates() {
        let cases: [(String, start: Double, stop: Double, remark: String?)] = [
            (
                #""timeStampBegin": "2026-11-20 10:00:00 +0200", "timeStampEnd": "2026-11-20 10:00:00 +0000""#,
                1_795_161_600, 1_795_168_800, nil
            ),
            (
                #""timeStampBegin": "2026-11-20T10:00:00.5Z", "timeStampEnd": "2026-11-20T10:00:01Z""#,
                1_795_168_800.5, 1_795_168_801, nil
            ),
            (
                #""timeStampBegin": "2026-11-20 09:00:00", "timeStampEnd": "2026-11-20 10:00:00""#,
                1_795_165_200, 1_795_168_800, "zone_assumed_utc"
            ),
            (
                #""timeStampBegin": "2026-11-20 11:00:00 +0000", "timeStampEnd": "2026-11-20 10:00:00 +0000""#,
                1_795_168_800, 1_795_168_800, nil
            ),
            (
                #""timeStampBegin": "2001-01-01 00:00:00 +0000", "timeStampEnd": "2026-11-20 10:00:00 +0000""#,
                1_795_168_800, 1_795_168_800, "date_implausible"
            ),
            (
                #""timeStampEnd": "2031-01-01 00:00:00 +0000""#, 1_795_248_000, 1_795_248_000,
                "date_implausible"
            ),
            (#""timeStampEnd": 816861600"#, 1_795_168_800, 1_795_168_800, nil),
            (#""timeStampEnd": 1795168800"#, 1_795_168_800, 1_795_168_800, nil),
            (#""timeStampEnd": 1795168800000"#, 1_795_168_800, 1_795_168_800, nil),
            (#""timeStampEnd": null"#, 1_795_248_000, 1_795_248_000, nil),
        ]
        for (members, start, stop, remark) in cases {
            let signals = signals(#"{"appVersion": "1", \#(members)}"#)
            #expect(signals.spans.map { seconds($0.startTimeUnixNano) } == [start], "\(members)")
            #expect(signals.spans.map { seconds($0.endTimeUnixNano) } == [stop], "\(members)")
            #expect(
                signals.spanAttributes()["symbolist.conversion.remarks"]
                    == remark.map { AnyValue.OneOf_Value.strings([$0]) }, "\(members)")
        }
    }

    @Test("signposts beyond the limit are dropped and reported")
    func signposts() {
        let list = Array(repeating: "{}", count: 1_001).joined(separator: ",")
        let signals = metrics(#""signpostMetrics": [\#(list)]"#)
        #expect(signals.spans.count == 1_001)
        #expect(signals.problems.count == 1)
    }

    @Test("a document other than a MetricKit payload is not converted, with a problem")
    func unknown() {
        for text in [#"{"unheard": 1}"#, "17", "", #"{"intervalEntries": []}"#] {
            let signals = signals(text)
            #expect(signals.traces == nil)
            #expect(signals.records.isEmpty)
            #expect(!signals.problems.isEmpty, "\(text)")
        }
    }
}
