import CallStacks
import MetricKitSignals
import OTLP
import TestSupport
import Testing

/// Diagnostics as log records.
@Suite("Diagnostic payloads")
struct DiagnosticTests {
    private static let tree = #"{"callStackPerThread":true,"callStacks":[]}"#

    private func diagnostic(_ metadata: String, beside: String = "") -> String {
        #"{"version": "1.0.0", "callStackTree": \#(Self.tree), "diagnosticMetaData": {\#(metadata)}\#(beside)}"#
    }

    private func payload(_ arrays: String) -> PayloadSignals {
        signals(
            #"{"timeStampBegin": "2026-11-20 08:00:00 +0000","#
                + #""timeStampEnd": "2026-11-20 10:00:00 +0000", \#(arrays)}"#)
    }

    private func crash(_ metadata: String) -> [String: AnyValue.OneOf_Value] {
        payload(#""crashDiagnostics": [\#(diagnostic(metadata))]"#).recordAttributes(0)
    }

    private let device =
        #""appVersion": "1.4.0", "appBuildVersion": "217", "osVersion": "iPhone OS 18.1 (22B83)", "deviceType": "Pear7,3", "platformArchitecture": "arm64e", "regionFormat": "CH", "bundleIdentifier": "com.example.orchard", "pid": 4711, "isTestFlightApp": false, "lowPowerModeEnabled": true"#

    @Test("all five kinds become records in the instrumentation's order, with one span")
    func fiveKinds() throws {
        let signals = payload(
            """
            "crashDiagnostics": [\(diagnostic(#""signal": 11"#))],
            "hangDiagnostics": [\(diagnostic(#""hangDuration": "3 sec""#, beside: #", "hangType": "Main Runloop Hang""#))],
            "cpuExceptionDiagnostics": [\(diagnostic(#""totalCPUTime": "20 sec", "totalSampledTime": "25 sec""#))],
            "diskWriteExceptionDiagnostics": [\(diagnostic(#""writesCaused": "2,000 byte""#))],
            "appLaunchDiagnostics": [\(diagnostic(#""launchDuration": "1,500 ms""#))]
            """)
        #expect(signals.spans.map(\.name) == ["MXDiagnosticPayload"])
        #expect(signals.spans.first?.attributes == [])
        #expect(signals.spans.map { seconds($0.startTimeUnixNano) } == [1_795_161_600])
        #expect(signals.spans.map { seconds($0.endTimeUnixNano) } == [1_795_168_800])
        let prefix = "metrickit.diagnostic."
        let kinds = ["app_launch", "disk_write_exception", "hang", "cpu_exception", "crash"]
        #expect(signals.records.map(\.record.eventName) == kinds.map { prefix + $0 })
        for (index, received) in signals.records.enumerated() {
            let record = received.record
            #expect(record.attributes["name"] == .stringValue(record.eventName))
            #expect(seconds(record.timeUnixNano) == 1_795_168_800)
            #expect(record.observedTimeUnixNano == arrival.nanoseconds)
            #expect(record.attributes["exception.stacktrace"] == .stringValue(Self.tree))
            #expect(!record.hasBody && record.severityNumber == .unspecified)
            #expect(record.traceID.isEmpty && record.spanID.isEmpty, "\(index)")
        }
        #expect(
            signals.recordAttributes(0)[prefix + "app_launch.launch_duration"]
                == .doubleValue(1.5))
        #expect(
            signals.recordAttributes(1)[prefix + "disk_write_exception.total_writes_caused"]
                == .doubleValue(2_000))
        let hang = signals.recordAttributes(2)
        #expect(hang[prefix + "hang.hang_duration"] == .doubleValue(3))
        #expect(hang[prefix + "hang.hang_type"] == .stringValue("Main Runloop Hang"))
        let processor = signals.recordAttributes(3)
        #expect(processor[prefix + "cpu_exception.total_cpu_time"] == .doubleValue(20))
        #expect(processor[prefix + "cpu_exception.total_sampled_time"] == .doubleValue(25))
        #expect(signals.problems.isEmpty, "\(signals.problems.text)")
        let request = PayloadSignals.logs(
            of: signals.records.map { ($0.resource, $0.record) })
        #expect(request.resourceLogs.count == 1)
        #expect(request.resourceLogs.first?.scopeLogs.first?.scope.name == "MetricKit")
        #expect(request.resourceLogs.first?.scopeLogs.first?.scope.version == "0.0.1")
    }

    @Test("a complete crash becomes every attribute of a crash")
    func everything() {
        let attributes = crash(
            device + #"""
                , "exceptionType": 1, "exceptionCode": 18446744073709551615, "signal": 11,
                "terminationReason": "Namespace SIGNAL, Code 0xb", "virtualMemoryRegionInfo": "0x0",
                "signpostData": [{"name": "pick"}],
                "objectiveCexceptionReason": {"composedMessage": "no apples left",
                "formatString": "no %@ left", "arguments": ["apples"], "exceptionType": "general",
                "className": "NSException", "exceptionName": "OrchardEmpty"}
                """#)
        let crash = "metrickit.diagnostic.crash."
        let mach = crash + "exception.mach_exception"
        let expected: [String: AnyValue.OneOf_Value] = [
            "name": .stringValue("metrickit.diagnostic.crash"),
            crash + "exception.code": .intValue(-1), mach + ".type": .intValue(1),
            mach + ".name": .stringValue("EXC_BAD_ACCESS"),
            mach + ".description": .stringValue("Could not access memory"),
            crash + "exception.signal": .intValue(11),
            crash + "exception.signal.name": .stringValue("SIGSEGV"),
            crash + "exception.signal.description": .stringValue("segmentation violation"),
            crash + "exception.termination_reason": .stringValue("Namespace SIGNAL, Code 0xb"),
            crash + "exception.objc.type": .stringValue("general"),
            crash + "exception.objc.message": .stringValue("no apples left"),
            crash + "exception.objc.classname": .stringValue("NSException"),
            crash + "exception.objc.name": .stringValue("OrchardEmpty"),
            crash + "virtual_memory_region_info": .stringValue("0x0"),
            "exception.type": .stringValue("OrchardEmpty"),
            "exception.message": .stringValue("no apples left"),
            "exception.stacktrace": .stringValue(Self.tree),
            "metrickit.metadata.app_version": .stringValue("1.4.0"),
            "metrickit.metadata.app_build_version": .stringValue("217"),
            "metrickit.metadata.bundle_identifier": .stringValue("com.example.orchard"),
            "metrickit.metadata.os_version": .stringValue("iPhone OS 18.1 (22B83)"),
            "metrickit.metadata.device_type": .stringValue("Pear7,3"),
            "metrickit.metadata.platform_arch": .stringValue("arm64e"),
            "metrickit.metadata.region_format": .stringValue("CH"),
            "metrickit.metadata.pid": .intValue(4_711),
            "metrickit.metadata.is_test_flight_app": .boolValue(false),
            "metrickit.metadata.low_power_mode_enabled": .boolValue(true),
            "metrickit.metadata.signpost_data": .stringValue(#"[{"name":"pick"}]"#),
            "os.type": .stringValue("darwin"), "os.name": .stringValue("iOS"),
            "os.version": .stringValue("18.1"), "os.build_id": .stringValue("22B83"),
            "os.description": .stringValue("iPhone OS 18.1 (22B83)"),
            "device.model.identifier": .stringValue("Pear7,3"),
            "device.manufacturer": .stringValue("Apple"), "host.arch": .stringValue("arm64e"),
            "process.pid": .intValue(4_711),
        ]
        for (key, value) in expected { #expect(attributes[key] == value, "\(key)") }
        #expect(Set(attributes.keys) == Set(expected.keys))
    }

    @Test("without additions records are those of the instrumentation")
    func noAdditions() {
        let text =
            #"{"timeStampEnd": "2026-11-20 10:00:00 +0000", "hangDiagnostics": [\#(diagnostic(device + #", "hangDuration": "3 sec""#, beside: #", "hangType": "Unknown", "mood": 1"#))], "#
            + #""appLaunchDiagnostics": [\#(diagnostic(#""launchDuration": "2 sec""#))]}"#
        let signals = signals(text, hasAdditions: false)
        let prefix = "metrickit.diagnostic."
        #expect(
            signals.recordAttributes(0) == [
                "name": .stringValue(prefix + "app_launch"),
                prefix + "app_launch.launch_duration": .doubleValue(2),
            ])
        #expect(
            signals.recordAttributes(1) == [
                "name": .stringValue(prefix + "hang"),
                prefix + "hang.hang_duration": .doubleValue(3),
                "exception.stacktrace": .stringValue(Self.tree),
            ])
    }

    @Test(
        "the exception is that of Objective-C, or else of Mach, or else the signal",
        arguments: [
            (
                #""objectiveCexceptionReason": {"exceptionName": "A", "composedMessage": "b"}, "exceptionType": 6, "signal": 5"#,
                "A", "b"
            ),
            (
                #""exceptionReason": {"exceptionName": "A", "composedMessage": "b"}, "signal": 5"#,
                "A", "b"
            ),
            (#""exceptionType": 6, "signal": 5"#, "EXC_BREAKPOINT", "Trace, breakpoint, etc."),
            (#""signal": 6"#, "SIGABRT", "abort()"),
            (#""exceptionType": 57"#, "Unknown exception type: 57", "Unknown exception type: 57"),
            (#""signal": 59"#, "Unknown signal: 59", "Unknown signal: 59"),
            (#""signal": -1"#, "Unknown signal: -1", "Unknown signal: -1"),
            (#""exceptionType": -2"#, "Unknown exception type: -2", "Unknown exception type: -2"),
            (#""terminationReason": "x""#, nil, nil),
        ] as [(String, String?, String?)])
    func priority(metadata: String, type: String?, message: String?) {
        let attributes = crash(metadata)
        #expect(attributes["exception.type"]?.string == type)
        #expect(attributes["exception.message"]?.string == message)
    }

    @Test("a record keeps invalid numbers with the unknown members, with an error")
    func wrongTypes() {
        let attributes = crash(#""signal": "boom", "exceptionType": "6", "pid": {}"#)
        let unmapped = "metrickit.unmapped."
        #expect(attributes["metrickit.diagnostic.crash.exception.signal"] == nil)
        #expect(attributes[unmapped + "signal"] == .stringValue("boom"))
        #expect(attributes["exception.type"] == .stringValue("EXC_BREAKPOINT"))
        #expect(attributes["metrickit.metadata.pid"] == nil)
        #expect(attributes[unmapped + "pid"] == .stringValue("{}"))
        #expect(attributes["process.pid"] == nil)
        #expect(attributes["symbolist.conversion.unread"] == .intValue(2))
    }

    @Test(
        "a diagnostic with missing parts or parts of the wrong type has an error",
        arguments: [
            (
                #"{"diagnosticMetaData": 7, "callStackTree": {"callStacks": []}}"#,
                "diagnosticMetaData"
            ),
            (#"{"diagnosticMetaData": {"signal": 11}, "callStackTree": "none"}"#, "callStackTree"),
            (#"{"diagnosticMetaData": {"signal": 11}}"#, "callStackTree"), ("{}", "callStackTree"),
        ])
    func wrongParts(text: String, part: String) {
        let signals = payload(#""crashDiagnostics": [\#(text)]"#)
        #expect(signals.records.count == 1)
        let error = signals.recordAttributes(0)["symbolist.conversion.error"]?.string
        #expect(error?.hasPrefix(part) == true)
        #expect(signals.problems.count == 1)
    }

    @Test("unknown members of a diagnostic or its payload are kept")
    func unknown() {
        let signals = payload(
            #""mood": "ripe", "hangDiagnostics": [\#(diagnostic(#""wind": 3"#, beside: #", "rain": [1]"#))]"#
        )
        let record = signals.recordAttributes(0)
        #expect(record["metrickit.unmapped.wind"] == .intValue(3))
        #expect(record["metrickit.unmapped.rain"] == .stringValue("[1]"))
        #expect(signals.spanAttributes()["metrickit.unmapped.mood"] == .stringValue("ripe"))
        #expect(signals.problems.isEmpty)
    }

    @Test("an invalid diagnostic is reported in the payload's span")
    func noDiagnostic() {
        let signals = payload(#""crashDiagnostics": [7, \#(diagnostic(#""signal": 11"#))]"#)
        #expect(signals.records.count == 1)
        #expect(
            signals.spanAttributes()["symbolist.conversion.error"]?.string?
                .contains("crashDiagnostics") == true)
        let none = payload(#""crashDiagnostics": 5"#)
        #expect(none.records.isEmpty)
        #expect(none.problems.count == 1)
    }

    @Test(
        "a truncated diagnostic keeps its start, with an error",
        arguments: [150, 230, 300])
    func half(length: Int) {
        let text =
            #"{"timeStampEnd": "2026-11-20 10:00:00 +0000", "crashDiagnostics": [{"#
            + #""diagnosticMetaData": {"signal": 11, "appVersion": "1.4.0"}, "callStackTree": "#
            + #"{"callStacks": [{"callStackRootFrames": [{"binaryUUID": "#
            + #""11111111-2222-3333-4444-555555555555", "offsetIntoBinaryTextSegment": 40960, "#
            + #""binaryName": "Orchard"}, {"binaryUU"#
        let signals = signals(String(text.prefix(length)))
        let record = signals.recordAttributes(0)
        #expect(record["exception.type"] == .stringValue("SIGSEGV"))
        #expect(record["metrickit.metadata.app_version"] == .stringValue("1.4.0"))
        #expect(
            record["symbolist.conversion.error"]?.string?.contains("json_truncated") == true)
    }

    @Test("diagnostics of two versions have two resources")
    func resources() {
        let signals = payload(
            """
            "hangDiagnostics": [\(diagnostic(#""appVersion": "1.3.0""#)),
            \(diagnostic(#""appVersion": "1.4.0""#)), \(diagnostic(#""appVersion": "1.4.0""#))]
            """)
        let request = PayloadSignals.logs(of: signals.records.map { ($0.resource, $0.record) })
        let versions = request.resourceLogs.map {
            $0.resource.attributes["service.version"]?.string
        }
        let counts = request.resourceLogs.map { $0.scopeLogs.map(\.logRecords.count) }
        #expect(versions == ["1.3.0", "1.4.0"])
        #expect(counts == [[1], [2]])
    }

    @Test("a report of iOS 27 becomes the same record")
    func report27() {
        let signals = signals(
            #"{"timeRange": {"begin": 816861600, "end": 816861660}, "environment": {"#
                + #""applicationVersion": "2.1", "applicationBuildVersion": "9", "osVersion": "#
                + #"{"platform": "iOS", "number": "27.0", "buildNumber": "24A1"}}, "crash": {"#
                + #""signal": 11, "terminationReason": {"code": 11}, "terminationCategory": "signal","#
                + #" "callStackTree": \#(Self.tree)}}"#)
        let record = signals.recordAttributes(0)
        #expect(record["name"] == .stringValue("metrickit.diagnostic.crash"))
        #expect(record["metrickit.metadata.os_version"] == .stringValue("iOS 27.0 (24A1)"))
        #expect(record["metrickit.metadata.app_version"] == .stringValue("2.1"))
        #expect(
            record["metrickit.diagnostic.crash.exception.termination_reason"]
                == .stringValue(#"{"code":11}"#))
        #expect(
            record["metrickit.diagnostic.crash.termination_category"] == .stringValue("signal"))
        #expect(signals.spans.map { seconds($0.endTimeUnixNano) } == [1_795_168_860])
        #expect(signals.problems.isEmpty, "\(signals.problems.text)")
    }
}
