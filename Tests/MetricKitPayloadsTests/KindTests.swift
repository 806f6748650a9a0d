import CallStacks
import MetricKitPayloads
import Testing

@Suite("The kind and the details of a diagnostic")
struct KindTests {
    @Test(
        "come from the array that it is in",
        arguments: [
            ("crashDiagnostics", DiagnosticKind.crash), ("hangDiagnostics", .hang),
            ("cpuExceptionDiagnostics", .cpuException),
            ("diskWriteExceptionDiagnostics", .diskWriteException),
            ("appLaunchDiagnostics", .appLaunch),
        ])
    func array(key: String, kind: DiagnosticKind) throws {
        #expect(try resolved(tree([]), as: key, metadata: "\"signal\":1").kind == kind)
    }

    @Test(
        "come from the metadata otherwise",
        arguments: [
            ("\"hangDuration\":\"9 sec\"", DiagnosticKind.hang),
            ("\"totalCPUTime\":\"\"", .cpuException),
            ("\"writesCaused\":\"1 kB\"", .diskWriteException),
            ("\"totalBytesWritten\":1", .diskWriteException),
            ("\"launchDuration\":\"\"", .appLaunch),
            ("\"signal\":0", .crash), ("\"exceptionType\":1", .crash),
            ("\"terminationReason\":\"\"", .crash), ("\"osVersion\":\"\"", .unknown),
            ("\"signal\":null", .unknown),
        ])
    func metadata(text: String, kind: DiagnosticKind) throws {
        #expect(try resolved(diagnostic(tree([]), metadata: text)).kind == kind)
    }

    @Test("are read from a crash of any system")
    func crash() throws {
        let metadata = """
            "appVersion":"2.1","appBuildVersion":"7","bundleIdentifier":"org.example.shop",
            "osVersion":"iPhone OS 18.1 (22B83)","deviceType":"iPhone16,1","regionFormat":"",
            "platformArchitecture":"arm64e","exceptionType":1,"exceptionCode":18446744073709551615,
            "signal":11,"terminationReason":"Namespace SIGNAL, Code 0xb","virtualMemoryRegionInfo":"0 is",
            "objectiveCexceptionReason":{"exceptionName":"NSRangeException","composedMessage":"beyond"}
            """
        let details = try resolved(tree([]), as: "crashDiagnostics", metadata: metadata).details
        var expected = DiagnosticDetails()
        expected.appVersion = "2.1"
        expected.appBuild = "7"
        expected.bundleIdentifier = "org.example.shop"
        expected.osVersion = "iPhone OS 18.1 (22B83)"
        expected.deviceType = "iPhone16,1"
        expected.architecture = "arm64e"
        expected.exceptionType = 1
        expected.exceptionCode = .max
        expected.signal = 11
        expected.terminationReason = "Namespace SIGNAL, Code 0xb"
        expected.virtualMemoryRegion = "0 is"
        expected.objectiveCExceptionName = "NSRangeException"
        expected.objectiveCExceptionMessage = "beyond"
        expected.timestamp = "2024-05-01 10:00:01"
        #expect(details == expected)
    }

    @Test("keep a measurement unchanged")
    func measurement() throws {
        let hang = try resolved(
            tree([]), as: "hangDiagnostics", metadata: "\"hangDuration\":\"2,717秒\"")
        #expect(hang.details.measurement == "2,717秒")
        let negative = try resolved(
            tree([]), as: "crashDiagnostics", metadata: "\"exceptionCode\":-1")
        #expect(negative.details.exceptionCode == .max)
    }
}

@Suite("A report of iOS 27")
struct Report27Tests {
    private let result = """
        "signal":11,"exceptionReason":{"exceptionName":"E","composedMessage":"M"},
        "terminationReason":{"namespace":"SIGNAL", "code":11},"callStackTree":\(tree27(names: ""))
        """

    private func report(_ tagged: String) -> String {
        """
        {"timeRange":{"begin":802569000,"end":802569600},"environment":{"applicationVersion":"2.1",
        "applicationBuildVersion":"7","osVersion":{"platform":"iOS","number":"27.0","buildNumber":"24A1"}},
        \(tagged)}
        """
    }

    @Test("may tag its result in any likely way")
    func tags() throws {
        let expected = try resolved(report("\"crash\":{\(result)}"))
        #expect(expected.kind == .crash)
        #expect(expected.tree.frames.count == 2)
        for tagged in [
            "\"crash\":{\"_0\":{\(result)}}", "\"result\":{\"crash\":{\(result)}}",
            "\"result\":{\"crash\":{\"_0\":{\(result)}}}", "\"type\":\"crash\",\(result)",
            "\"kind\":\"crash\",\(result)", "\"result\":{\"name\":\"crash\",\(result)}",
        ] {
            #expect(try resolved(report(tagged)) == expected, "\(tagged)")
        }
    }

    @Test(
        "has its kind in the tag, or in its fields",
        arguments: [
            ("\"hang\":{T}", DiagnosticKind.hang), ("\"cpuException\":{T}", .cpuException),
            ("\"diskWriteException\":{T}", .diskWriteException), ("\"appLaunch\":{T}", .appLaunch),
            ("\"memoryException\":{T}", .memoryException), ("\"hangDuration\":1,T", .hang),
            ("\"totalBytesWritten\":1,T", .diskWriteException), ("T", .unknown),
        ])
    func kinds(tagged: String, kind: DiagnosticKind) throws {
        let text = report(tagged.replacing("T", with: "\"callStackTree\":\(tree27(names: ""))"))
        #expect(try received(text).kind == kind)
    }

    @Test("has its details, with dates counted from 2001")
    func details() throws {
        let details = try resolved(report("\"crash\":{\(result)}")).details
        #expect(details.appVersion == "2.1")
        #expect(details.appBuild == "7")
        #expect(details.osVersion == "iOS 27.0 (24A1)")
        #expect(details.timestamp == "2026-06-08T00:00:00Z")
        #expect(details.terminationReason == "{\"namespace\":\"SIGNAL\",\"code\":11}")
        #expect(details.objectiveCExceptionName == "E")
        let hang = report("\"hang\":{\"hangDuration\":{\"value\":2500,\"unit\":\"ms\"},\(result)}")
        #expect(try resolved(hang).details.measurement == "2500 ms")
    }

    @Test(
        "may count its time in seconds since 2001, or in seconds or milliseconds since 1970",
        arguments: [
            ("0", "2001-01-01T00:00:00Z"), ("0.9", "2001-01-01T00:00:00Z"),
            ("1199999999", "2039-01-10T21:19:59Z"), ("1200000000", "2008-01-10T21:20:00Z"),
            ("99999999999", "5138-11-16T09:46:39Z"), ("100000000000", "1973-03-03T09:46:40Z"),
            ("730943999", "2024-02-29T23:59:59Z"), ("4107499200", "2100-02-28T12:00:00Z"),
            ("4107542400", "2100-03-01T00:00:00Z"), ("951782400000", "2000-02-29T00:00:00Z"),
            ("4102362123", "2099-12-31T01:02:03Z"), ("13574563200", "2400-02-29T00:00:00Z"),
            ("978220800000", "2000-12-31T00:00:00Z"), ("-1", nil), ("1e300", nil), ("\"\"", nil),
            ("\"2026\"", "2026"),
        ] as [(String, String?)])
    func times(number: String, expected: String?) throws {
        let text = report("\"crash\":{\(result)}").replacing("802569600", with: number)
        #expect(try resolved(text).details.timestamp == expected)
    }

    @Test(
        "has names next to the tree, in either encoding",
        arguments: [
            "{\"\(uuid(1))\":{\"uuid\":\"\(uuid(1))\",\"name\":\"Shop\"},\"x\":{\"name\":\"y\"}}",
            "[\"\(uuid(1))\",{\"uuid\":\"\(uuid(1))\",\"name\":\"Shop\"}]",
            "[\"\(uuid(7))\",{\"uuid\":\"\(uuid(1))\",\"name\":\"Shop\"}]",
            "[\"\(uuid(1))\",{\"name\":\"Shop\"},\"odd\"]",
            "[\"\(uuid(1))\",{\"name\":\"Shop\"},7,8]",
        ])
    func names(info: String) throws {
        let tree = try resolved(tree27(names: info)).tree
        #expect(tree.frames.map(\.imageName) == ["Shop", "Shop"])
    }

    @Test(
        "keeps its frames if names are damaged", arguments: ["[7]", "{\"a\":7}", "\"x\"", "[]"])
    func noNames(info: String) throws {
        let tree = try resolved(tree27(names: info)).tree
        #expect(tree.frames.map(\.imageName) == [nil, nil])
        #expect(tree.frames.allSatisfy { $0.image == imageID(1) })
    }
}

private func tree27(names: String) -> String {
    let frames = frame(
        4096, at: 0x1_0000_1000, name: nil, [frame(8192, at: 0x1_0000_2000, name: nil)])
    let info = names.isEmpty ? "" : ",\"binaryInfo\":\(names)"
    return "{\"callStackPerThread\":true,\"callStackThreads\":[{\"threadAttributed\":true,"
        + "\"rootFrames\":[\(frames)]}]\(info)}"
}
