import MetricKitSignals
import TestSupport
import Testing

/// The watched metrics of versions, and when one is a regression.
@Suite("Figures of versions")
struct FigureTests {
    private func figures(_ text: String) throws -> PayloadFigures {
        try #require(signals(text).figures.first)
    }

    @Test("a payload has sums with their weights")
    func everything() throws {
        let text = OrchardMetrics.everything.replacing(#""multipleAppVersions": "1","#, with: "")
        let figures = try figures(text)
        #expect(figures.app == "com.example.orchard")
        #expect(figures.version == "1.4.0")
        #expect(figures.day == 20_777)
        #expect(!figures.spansSeveralVersions)
        let means = figures.figures.mapValues { ($0.mean * 1e6).rounded() / 1e6 }
        #expect(
            means == [
                .timeToFirstDraw: 0.125, .resumeTime: 0.225, .optimizedTimeToFirstDraw: 0.64,
                .extendedLaunch: 2, .hangTime: 0.5, .hangTimePerForegroundHour: 4,
                .peakMemory: 200e6, .scrollHitchRatio: 4,
            ])
        #expect(figures.figures[.timeToFirstDraw]?.weight == 4)
        #expect(figures.figures[.hangTime]?.sampleCount == 4)
        #expect(figures.figures[.hangTimePerForegroundHour]?.weight == 0.5)
        #expect(figures.figures[.peakMemory]?.sampleCount == nil)
    }

    @Test("a payload has one digest in any order and layout, and another if anything differs")
    func digests() throws {
        func digest(_ members: String) throws -> [UInt8] {
            try figures(#"{"appVersion": "1", "timeStampEnd": null, \#(members)}"#).digest
        }
        let first = try digest(#""cpuMetrics": {"a": [1, {"b": true}], "c": "x"}, "metaData": {}"#)
        #expect(first.count == 16)
        for same in [
            #""metaData":{},"cpuMetrics":{"c":"x","a":[1,{"b":true}]}"#,
            #""metaData": { }, "cpuMetrics": {"c": "\u0078", "a": [1, {"b": true}]}"#,
        ] {
            #expect(try digest(same) == first)
        }
        for other in [
            #""cpuMetrics": {"a": [{"b": true}, 1], "c": "x"}, "metaData": {}"#,
            #""cpuMetrics": {"a": ["1", {"b": true}], "c": "x"}, "metaData": {}"#,
            #""cpuMetrics": {"a": [1, {"b": false}], "c": "x"}, "metaData": {}"#,
            #""cpuMetrics": {"a": [1, {"b": true}], "d": "x"}, "metaData": {}"#,
            #""cpuMetrics": {"a": [1, {"b": true}], "c": "x"}, "metaData": []"#,
            #""cpuMetrics": {"a": [1, {"b": true}]}, "metaData": {"c": "x"}"#,
        ] {
            #expect(try digest(other) != first)
        }
    }

    @Test("a payload of several versions is excluded, and one without a version has no figures")
    func versions() throws {
        #expect(try figures(OrchardMetrics.everything).spansSeveralVersions)
        #expect(try figures(OrchardMetrics.everything).figures.isEmpty)
        #expect(signals(#"{"timeStampEnd": "2026-11-20 10:00:00", "metaData": {}}"#).figures == [])
    }

    private func day(
        hangs: [(Int, Int)]? = nil, minutes: Int? = nil
    ) throws -> [WatchedMetric: PayloadFigures.Figure] {
        try figures(
            OrchardMetrics.day(
                version: "1.4.0", hangs: hangs, foregroundMinutes: minutes,
                end: "2026-11-20 23:59:00 +0000")
        ).figures
    }

    @Test("hangs per hour need hours, and no hangs is the best value")
    func hangRate() throws {
        #expect(try day(hangs: [(500, 4)], minutes: 30)[.hangTimePerForegroundHour]?.mean == 4)
        #expect(try day(hangs: [], minutes: 30)[.hangTimePerForegroundHour]?.mean == 0)
        #expect(try day(hangs: [], minutes: 30)[.hangTime] == nil)
        #expect(try day(hangs: [(500, 4)])[.hangTimePerForegroundHour] == nil)
        #expect(try day(hangs: [(500, 4)], minutes: 0)[.hangTimePerForegroundHour] == nil)
        #expect(try day(minutes: 30)[.hangTimePerForegroundHour] == nil)
    }

    @Test("impossible values are not in any average")
    func implausible() throws {
        for value in ["-5 MB", String(repeating: "9", count: 30) + " kB"] {
            let signals = signals(
                #"{"appVersion": "1", "timeStampEnd": null, "memoryMetrics": {"peakMemoryUsage": "\#(value)"}}"#
            )
            #expect(signals.figures.first?.figures == [:])
        }
    }

    @Test("hangs in almost no time have no rate")
    func tinyWeight() throws {
        let hang = #"{"bucketCount": 4, "bucketStart": "500 ms", "bucketEnd": "500 ms"}"#
        func figures(foreground: String) -> PayloadFigures? {
            signals(
                """
                {"appVersion": "1", "timeStampEnd": null,
                "applicationTimeMetrics": {"cumulativeForegroundTime": "\(foreground)"},
                "applicationResponsivenessMetrics": {"histogrammedAppHangTime": {
                "histogramNumBuckets": 1, "histogramValue": {"0": \(hang)}}}}
                """
            ).figures.first
        }
        #expect(figures(foreground: "9 sec")?.figures[.hangTimePerForegroundHour] != nil)
        let tiny = figures(foreground: "0.0000000001 sec")
        #expect(tiny?.figures[.hangTime] != nil)
        #expect(tiny?.figures[.hangTimePerForegroundHour] == nil)
    }

    @Test(
        "a payload that names no app belongs to an unknown one", arguments: ["\"\"", "null", "7"])
    func unknownApp(identifier: String) throws {
        let figures = try figures(
            #"{"appVersion": "1", "timeStampEnd": null, "metaData": {"bundleIdentifier": \#(identifier)}}"#
        )
        #expect(figures.app == "unknown_service")
    }

    /// Returns a version whose payloads have these means of time to first draw, in seconds.
    private func version(_ means: [Double]) -> VersionFigures {
        let sum = means.reduce(0, +)
        let average = FigureAverage(
            total: sum, weight: Double(means.count), sampleCount: Double(means.count),
            payloadCount: means.count, meanSum: sum,
            squaredMeanSum: means.reduce(0) { $0 + $1 * $1 })
        return VersionFigures(
            app: "com.example.orchard", version: "1", firstDay: 0, lastDay: 0,
            payloadCount: means.count, leftOutCount: 0, averages: [.timeToFirstDraw: average])
    }

    private func verdict(
        _ earlier: [Double], _ later: [Double]
    ) -> FigureComparison.Verdict? {
        FigureComparison.worsened(from: version(earlier), to: version(later), byMoreThan: 0.1)
            .first?.verdict
    }

    @Test("a regression exceeds the threshold, the minimum of payloads, and the noise")
    func verdicts() {
        let steady = (0..<40).map { 0.5 + Double($0 % 4) * 0.01 }
        let slower = steady.map { $0 * 1.3 }
        let wild = (0..<40).map { $0 % 20 == 0 ? 3.0 : 0.5 }
        #expect(verdict(steady, slower) == .regression)
        #expect(verdict(steady, Array(slower.prefix(19))) == .tooFewSamples)
        #expect(verdict(steady, wild) == .withinNoise)
        #expect(verdict(steady, steady.map { $0 * 1.05 }) == nil)
        #expect(verdict(slower, steady) == nil)
        #expect(verdict(Array(repeating: 0, count: 40), steady) == .regression)
    }

    @Test(
        "versions are ordered by their numbers",
        arguments: [
            ("1.9", "1.10"), ("1.9.9", "2"), ("2.0-beta", "2.0"), ("1", "1.0.1"), ("9", "10"),
            ("1.4.0 (2)", "1.4.0 (10)"), ("beta", "1"), ("1.0.beta", "1"), ("1", "1.0.0.3"),
            ("1.0.4", "1.1"), ("1.255", "1.256"), ("2-beta", "2-beta2"), ("2-beta.9", "2-beta2"),
        ])
    func versionNumbers(lower: String, higher: String) {
        #expect(VersionNumber(lower) < VersionNumber(higher))
        #expect(!(VersionNumber(higher) < VersionNumber(lower)))
    }

    @Test("trailing zeros are irrelevant")
    func equalVersions() {
        #expect(VersionNumber("1.0") == VersionNumber("1"))
        #expect(!(VersionNumber("1.0") < VersionNumber("1")))
    }
}
