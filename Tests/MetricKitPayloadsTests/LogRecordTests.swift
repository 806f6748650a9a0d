import CallStacks
import MetricKitPayloads
import Testing

/// An OTLP/JSON export request with one record.
func logs(
    scope: String = "MetricKit", event: String? = nil, resource: [String: String] = [:],
    attributes: [String]
) -> String {
    let event = event.map { "\"eventName\":\"\($0)\"," } ?? ""
    let resource = resource.sorted { $0.key < $1.key }.map { text($0.key, $0.value) }
    return """
        {"resourceLogs":[{"resource":{"attributes":[\(resource.joined(separator: ","))]},"scopeLogs":[
        {"scope":{"name":"\(scope)","version":"0.0.1"},"logRecords":[{\(event)
        "timeUnixNano":"1780876800000000000","attributes":[\(attributes.joined(separator: ","))]}]}]}]}
        """
}

/// A string attribute.
func text(_ key: String, _ value: String) -> String {
    let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        .replacing("\n", with: "\\n")
    return "{\"key\":\"\(key)\",\"value\":{\"stringValue\":\"\(escaped)\"}}"
}

/// The attribute in which opentelemetry-swift sends a stack.
func stack(_ content: String) -> [String] { [text("exception.stacktrace", content)] }

let callStackSymbols = """
    0   CoreFoundation       0x00000001835df228 7821F73C-378B-3A10-BE90-EF526B7DBA93 + 1155624
    1   libobjc.A.dylib      0x0000000180a79abc objc_exception_throw + 88
    2   Shop Floor           0x00000001025a0758 Shop Floor + 231256
    3   Shop Floor           0x0000000102577fd1 Shop Floor + 65489
    4   Shop Floor           0x00000001025a0834 -[Cart total:] in [x] + 12
    5   some other line
    """

@Suite("A log record")
struct LogRecordTests {
    private let bare = tree([frame(64, at: 0x1_0000_0040, [frame(32, at: 0x1_0000_0020)])])

    private func element(_ request: String) throws -> PayloadElement {
        let elements = read(request).elements
        try #require(elements.count == 1)
        return elements[0]
    }

    @Test(
        "of each emitter is recognised",
        arguments: [
            (
                "MetricKit", nil, "name", "metrickit.diagnostic.hang", "exception.stacktrace",
                DiagnosticKind.hang
            ),
            ("MetricKit", "metrickit.diagnostic.crash", "x", "x", "exception.stacktrace", .crash),
            (
                "io.honeycomb.metrickit", nil, "name", "metrickit.diagnostic.crash",
                "metrickit.diagnostic.crash.exception.stacktrace_json", .crash
            ),
            (
                "io.honeycomb.metrickit", nil, "x", "x",
                "metrickit.diagnostic.hang.exception.stacktrace_json", .hang
            ),
            (
                "x", nil, "metrickit.diagnostic.name", "metrickit.diagnostic.app_launch",
                "exception.stacktrace", .appLaunch
            ),
            (
                "software.amazon.opentelemetry.MXCrashDiagnostic", "device.crash", "x", "x",
                "crash.stacktrace", .crash
            ),
            (
                "software.amazon.opentelemetry.MXHangDiagnostic", nil, "x", "x",
                "exception.stacktrace",
                .hang
            ),
        ] as [(String, String?, String, String, String, DiagnosticKind)])
    func emitters(
        scope: String, event: String?, key: String, value: String, stackKey: String,
        kind: DiagnosticKind
    ) throws {
        let request = logs(
            scope: scope, event: event, attributes: [text(key, value), text(stackKey, bare)])
        let element = try element(request)
        #expect(element.shape == .logRecord)
        #expect(element.stackAttribute == stackKey)
        let diagnostic = try #require(element.diagnostics.first)
        #expect(diagnostic.kind == kind)
        #expect(diagnostic.frameCount == 2)
        #expect(element.remarks.isEmpty)
        #expect(diagnostic.range == element.range)
    }

    @Test("of Embrace has a whole diagnostic or a metric payload")
    func embrace() throws {
        let provider = text("emb.provider", "metrickit")
        let crash = diagnostic(bare, metadata: "\"osVersion\":\"iPhone OS 18.1 (22B83)\"")
        let element = try element(
            logs(attributes: [
                provider, text("emb.type", "sys.ios.crash"), text("emb.payload", crash),
                text("diagnostic.timestamp_end", "2024-05-01T10:00:00Z"),
            ]))
        #expect(element.diagnostics.map(\.kind) == [.crash])
        try #require(!element.diagnostics.isEmpty)
        #expect(element.diagnostics[0].details.osVersion == "iPhone OS 18.1 (22B83)")
        #expect(element.diagnostics[0].details.timestamp == "2024-05-01T10:00:00Z")
        let metrics = "{\"timeStampEnd\":\"\",\"cpuMetrics\":{}}"
        #expect(
            try self.element(logs(attributes: [provider, text("emb.payload", metrics)])).shape
                == .metricPayload)
        #expect(
            try self.element(logs(attributes: [text("emb.payload", crash)])).diagnostics.isEmpty)
    }

    @Test(
        "without a stack is unchanged, whatever its attributes are called",
        arguments: [
            ("crash.stacktrace", "{\"report\":{\"version\":\"3.3.0\"},\"crash\":{\"error\":{}}}"),
            ("exception.stacktrace", "at main (index.js:1)\\n"), ("exception.stacktrace", ""),
            ("exception.stacktrace", "{\"timeStampEnd\":\"\",\"cpuMetrics\":{}}"), ("body", "{}"),
            ("exception.stacktrace", "{\"attributes\":[]}"), ("exception.stacktrace", "\"{}\""),
        ])
    func passes(key: String, content: String) throws {
        let element = try element(logs(attributes: [text(key, content)]))
        #expect(element.diagnostics.isEmpty)
        #expect(element.unread.isEmpty)
        #expect(element.remarks.isEmpty)
        #expect(element.stackAttribute == nil)
    }

    @Test("that was symbolicated before is unchanged")
    func symbolicated() throws {
        func failed(_ value: Bool) -> String {
            "{\"key\":\"exception.symbolicator.failed\",\"value\":{\"boolValue\":\(value)}}"
        }
        #expect(try element(logs(attributes: stack(bare) + [failed(false)])).diagnostics.isEmpty)
        #expect(try element(logs(attributes: stack(bare) + [failed(true)])).diagnostics.count == 1)
    }

    @Test("takes its kind from structure before names")
    func structureWins() throws {
        let hang = payload(diagnostic(bare), in: "hangDiagnostics")
        let request = logs(event: "metrickit.diagnostic.crash", attributes: stack(hang))
        #expect(try element(request).diagnostics.map(\.kind) == [.hang])
        let report = diagnostic(bare, metadata: "\"hangDuration\":\"9 sec\"")
        let named = logs(event: "metrickit.diagnostic.crash", attributes: stack(report))
        #expect(try element(named).diagnostics.map(\.kind) == [.crash])
    }

    @Test("takes Apple's attribute before the others")
    func precedence() throws {
        let key = "metrickit.diagnostic.crash.exception.stacktrace_json"
        let attributes = stack(bare) + [text("crash.stacktrace", bare), text(key, bare)]
        #expect(try element(logs(attributes: attributes)).stackAttribute == key)
    }

    @Test("whose attribute is always a stack is reported if it is not one")
    func unreadable() throws {
        let key = "metrickit.diagnostic.crash.exception.stacktrace_json"
        let element = try element(logs(attributes: [text(key, "{\"a\":1}")] + stack(bare)))
        #expect(element.stackAttribute == key)
        #expect(element.remarks == [.unknownShape])
        #expect(element.unread.map(\.range) == [element.range])
    }

    @Test("may have its stack as bytes, truncated, or encoded twice")
    func contents() throws {
        let bytes =
            "{\"key\":\"exception.stacktrace\",\"value\":{\"bytesValue\":\"\(base64(bare))\"}}"
        #expect(try element(logs(attributes: [bytes])).diagnostics.map(\.frameCount) == [2])
        let cut = try element(logs(attributes: stack(String(bare.dropLast(40)))))
        #expect(cut.remarks == [.jsonTruncated])
        #expect(cut.diagnostics.map(\.frameCount) == [2])
        let twice = "\"" + bare.replacing("\"", with: "\\\"") + "\""
        #expect(try element(logs(attributes: stack(twice))).diagnostics.map(\.frameCount) == [2])
    }

    @Test("has the details of the crash in its attributes")
    func details() throws {
        let prefix = "metrickit.diagnostic.crash.exception."
        func number(_ key: String, _ value: String) -> String {
            "{\"key\":\"\(prefix)\(key)\",\"value\":{\"intValue\":\(value)}}"
        }
        let attributes = [
            number("code", "\"-1\""), number("mach_exception.type", "1"), number("signal", "11"),
            text(prefix + "termination_reason", "reason"), text("exception.type", "EXC_BAD_ACCESS"),
            text("name", "metrickit.diagnostic.crash"),
        ]
        let request = logs(resource: ["host.arch": "arm64"], attributes: attributes + stack(bare))
        let details = try #require(try element(request).diagnostics.first).details
        var expected = DiagnosticDetails()
        expected.exceptionCode = .max
        expected.exceptionType = 1
        expected.signal = 11
        expected.terminationReason = "reason"
        expected.architecture = "arm64"
        expected.timestamp = "2026-06-08T00:00:00Z"
        #expect(details == expected)
        let duration =
            "{\"key\":\"metrickit.diagnostic.hang.hang_duration\",\"value\":{\"doubleValue\":2.5}}"
        let hang = try element(logs(attributes: [duration] + stack(bare)))
        try #require(!hang.diagnostics.isEmpty)
        #expect(hang.diagnostics[0].details.measurement == "2.5 s")
    }

    @Test(
        "has an exception that names describe if there are no numbers",
        arguments: [
            (["signal.name": "SIGSEGV"], nil, 11, nil, nil),
            (["mach_exception.name": "EXC_BAD_ACCESS", "signal": "11"], 1, 11, nil, nil),
            (
                ["mach_exception.name": "EXC_NEW", "mach_exception.description": "new"], nil, nil,
                "EXC_NEW", "new"
            ),
            (["signal.name": "SIGNEW", "signal.description": "x"], nil, nil, "SIGNEW", "x"),
        ] as [([String: String], UInt64?, UInt64?, String?, String?)])
    func namedExceptions(
        attributes: [String: String], mach: UInt64?, signal: UInt64?, name: String?,
        message: String?
    ) throws {
        let prefix = "metrickit.diagnostic.crash.exception."
        let texts = attributes.map { text(prefix + $0.key, $0.value) }
        let crash = try element(
            logs(event: "metrickit.diagnostic.crash", attributes: texts + stack(bare)))
        let details = try #require(crash.diagnostics.first).details
        #expect([details.exceptionType, details.signal] == [mach, signal])
        #expect([details.exceptionName, details.fields[.exceptionMessage]] == [name, message])
    }

    @Test("of a crash without numbers is named by its exception")
    func exceptionWithoutNumbers() throws {
        let attributes = [text("exception.type", "SIGTRAP"), text("exception.message", "trap")]
        let crash = try element(
            logs(event: "metrickit.diagnostic.crash", attributes: attributes + stack(bare)))
        let details = try #require(crash.diagnostics.first).details
        #expect(details.objectiveCExceptionName == "SIGTRAP")
        #expect(details.objectiveCExceptionMessage == "trap")
        let hang = try element(
            logs(event: "metrickit.diagnostic.hang", attributes: attributes + stack(bare)))
        #expect(try #require(hang.diagnostics.first).details.objectiveCExceptionName == nil)
    }

    @Test("may be alone, or in any part of an export request")
    func parts() throws {
        let record = "{\"attributes\":[\(stack(bare)[0])]}"
        for text in [
            record, "{\"logRecords\":[\(record)]}",
            "{\"scopeLogs\":[{\"log_records\":[\(record)]}]}",
            "{\"resource_logs\":[{\"scope_logs\":[{\"logRecords\":[\(record)]}]}]}",
        ] {
            let element = try element(text)
            #expect(element.diagnostics.map(\.frameCount) == [2], "\(text)")
            let bytes = Array(text.utf8)
            let found = bytes[element.range.clamped(to: bytes.indices)]
            #expect(String(decoding: found, as: UTF8.self) == record)
        }
        let several = read("{\"logRecords\":[\(record),{\"attributes\":[]},\(record)]}")
        #expect(several.elements.map(\.diagnostics.count) == [1, 0, 1])
    }

    @Test("is read without JSON too")
    func decoded() {
        let record = ReceivedLogRecord(
            eventName: "metrickit.diagnostic.hang",
            attributes: ["exception.stacktrace": .text(Array(bare.utf8)[...])],
            unixNanoseconds: .max)
        #expect(PayloadReader().read(record).diagnostics.map(\.kind) == [.hang])
    }

    @Test("keeps to the limits of records and attributes")
    func limits() {
        var limits = PayloadLimits()
        let record = "{\"attributes\":[\(stack(bare)[0])]}"
        limits.logRecords = 1
        let two = read("{\"logRecords\":[\(record),\(record)]}", limits: limits)
        #expect(two.elements.count == 1)
        #expect(two.remarks == [.sizeLimit])
        limits.attributeBytes = bare.utf8.count
        #expect(read(record, limits: limits).elements.first?.remarks.isEmpty == true)
        limits.attributeBytes -= 1
        let limited = read(record, limits: limits).elements.first
        #expect(limited?.remarks.contains(.sizeLimit) == true)
    }

    @Test("a report in a truncated attribute says so")
    func truncatedReport() {
        var reader = PayloadReader()
        reader.reports = { _, _ in [Diagnostic(kind: .crash, tree: CallStackTree(form: .threads))] }
        let record = ReceivedLogRecord(
            attributes: ["exception.stacktrace": .text(Array("a report".utf8)[...])],
            unixNanoseconds: .max)
        for (limit, remarks) in [(8, []), (7, [Remark.sizeLimit])] {
            reader.limits.attributeBytes = limit
            let element = reader.read(record)
            #expect(element.diagnostics.count == 1)
            #expect(element.remarks == remarks)
        }
    }

    private func base64(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var result = ""
        for start in stride(from: 0, to: text.utf8.count, by: 3) {
            let group = text.utf8.dropFirst(start).prefix(3)
            let bits = (group + Array(repeating: 0, count: 3 - group.count)).reduce(UInt32(0)) {
                $0 << 8 | UInt32($1)
            }
            for digit in 0..<4 {
                let value = Int(bits >> UInt32(18 - 6 * digit) & 63)
                result.append(digit <= group.count ? alphabet[value] : "=")
            }
        }
        return result
    }
}

@Suite("An exception text")
struct ExceptionTextTests {
    private func frames(_ resource: [String: String]) throws -> [CallFrame] {
        let request = logs(
            scope: "io.honeycomb.error", resource: resource, attributes: stack(callStackSymbols))
        let diagnostic = try #require(read(request).diagnostics.first).resolved()
        #expect(diagnostic.tree.stacks.map(\.frames) == [0..<6])
        try #require(diagnostic.tree.frames.count == 6)
        return diagnostic.tree.frames
    }

    @Test("is looked up by UUID, and by the name of the app if its UUID is known")
    func lines() throws {
        let resource = ["app.bundle.executable": "Shop Floor", "app.debug.build_uuid": uuid(1)]
        let frames = try frames(resource)
        #expect(
            frames.map { $0.site?.lookupOffset.rawValue } == [
                1_155_623, nil, 231_255, 65_488, 231_475, nil,
            ])
        #expect(
            frames.map(\.imageName) == [
                "CoreFoundation", "libobjc.A.dylib", "Shop Floor", "Shop Floor", "Shop Floor", nil,
            ])
        #expect(frames[2].image == imageID(1))
        #expect(frames[2].loadAddress?.rawValue == 0x1_0256_8000)
        #expect(frames.map(\.parent) == [nil, 0, 1, 2, 3, 4])
        #expect(try self.frames(["app.debug.build_uuid": uuid(1)])[2].image == imageID(1))
    }

    @Test("is not looked up in another executable")
    func otherExecutable() throws {
        let frames = try frames(["app.bundle.executable": "Bar", "app.debug.build_uuid": uuid(1)])
        #expect(frames.map { $0.image == nil } == [false, true, true, true, true, true])
        #expect(frames[2].site?.offset.rawValue == 231_256, "shown, but not looked up")
        #expect(frames[2].remarks == [.noUUID])
    }

    @Test("keeps symbols, and the text of lines in another format")
    func symbols() throws {
        let lines = """
            (
            0 CoreFoundation 0x1835df228 7821F73C-378B-3A10-BE90-EF526B7DBA93 + 1155624
            1 CoreFoundation 0x1835df22c __exceptionPreprocess + 220
            2 UIKitCore 0x1a1b922a8 0x1a1b54000 + 254632
            3 Shop 0x104a31f3c Cart.total(for:) (Cart.swift:18)
            4 some other line

            Caused by: rot
            )
            Underlying stack:
            libc++abi: terminating due to uncaught exception
            """
        let tree = try received(lines).resolved().tree
        #expect(
            tree.reportedFunctions == [
                1: [ReportedFunction(name: "__exceptionPreprocess", distance: 220)],
                3: [ReportedFunction(name: "Cart.total(for:) (Cart.swift:18)")],
                4: [ReportedFunction(name: "4 some other line")],
                5: [ReportedFunction(name: "Caused by: rot")],
                6: [ReportedFunction(name: "Underlying stack:")],
                7: [
                    ReportedFunction(name: "libc++abi: terminating due to uncaught exception")
                ],
            ])
        #expect(tree.frames[1].image == tree.frames[0].image)
        #expect(tree.frames[1].site?.offset.rawValue == 1_155_628)
        #expect(tree.frames[2].site?.offset.rawValue == 254_632)
        #expect(tree.frames[3].address?.rawValue == 0x1_04a3_1f3c)
    }

    @Test("may have one heading, but not those of a report of threads")
    func headings() {
        let line = "0 a 0x1 \(uuid(1)) + 2"
        func frameCounts(_ text: String) -> [Int] { read(text).diagnostics.map(\.frameCount) }
        #expect(frameCounts("*** First throw call stack:\n\(line)") == [1])
        #expect(frameCounts("\(line)\nSuppressed:\n\(line)") == [3])
        #expect(frameCounts("Thread 0 Crashed:\n\(line)") == [])
        #expect(frameCounts("Last Exception Backtrace:\n\(line)\nThread 0:\n\(line)") == [])
    }

    @Test("may come alone, and runs innermost first")
    func alone() throws {
        let payload = read(callStackSymbols)
        #expect(payload.elements.map(\.shape) == [.exceptionText])
        #expect(
            payload.diagnostics.map { $0.orientation() } == [Orientation(.innermostFirst, rule: 0)])
        try #require(!payload.diagnostics.isEmpty)
        #expect(payload.diagnostics[0].imageIDs.count == 1)
        #expect(payload.diagnostics[0].frameCount == 6)
    }

    @Test("has at most the limit of frames, and a remark if there are more")
    func framesLimit() throws {
        var limits = PayloadLimits()
        limits.framesPerTree = 5
        let text = callStackSymbols.split(separator: "\n").prefix(5).joined(separator: "\n")
        #expect(try received(text, limits: limits).resolved().tree.remarks.isEmpty)
        limits.framesPerTree = 4
        let cut = try received(text, limits: limits).resolved().tree
        #expect(cut.frames.count == 4)
        #expect(cut.remarks == [.frameLimit])
    }

    @Test("may have any line endings, and no line longer than its limit")
    func lineEndings() throws {
        let line = "0 a 0x1 \(uuid(1)) + 2"
        #expect(try received("\(line)\r\n\(line)\r\n").resolved().lookups == [1, 1])
        let long = "0 a 0x1 " + String(repeating: "b", count: 1 << 16) + " + 2"
        #expect(read(long).diagnostics.isEmpty)
        #expect(read("\(line)\n\(long)").diagnostics.map(\.frameCount) == [1])
    }

    @Test("names the exception")
    func exception() throws {
        let attributes = [
            text("exception.type", "NSRangeException"), text("exception.message", "beyond"),
        ]
        let request = logs(
            scope: "io.honeycomb.error", attributes: attributes + stack(callStackSymbols))
        let details = try #require(read(request).diagnostics.first).details
        #expect(details.objectiveCExceptionName == "NSRangeException")
        #expect(details.objectiveCExceptionMessage == "beyond")
    }
}
