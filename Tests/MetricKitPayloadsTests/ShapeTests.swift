import CallStacks
import MetricKitPayloads
import Testing

@Suite("The shape of a payload")
struct ShapeTests {
    private let bare = tree([frame(40_960, at: 0x1_0000_a000, [frame(80, at: 0x1_0000_0050)])])

    @Test("does not change its frames")
    func sameFrames() throws {
        let expected = try resolved(bare).tree
        #expect(expected.frames.count == 2)
        for text in [
            "{\"callStackTree\":\(bare)}", diagnostic(bare), payload(diagnostic(bare)),
            "{\"payload\":\(payload(diagnostic(bare)))}", "\u{feff} \n\(bare)\n",
            "{\"unknown\":[1,{\"a\":2}],\"callStackTree\":\(bare)}", "[\(bare)]",
        ] {
            #expect(try resolved(text).tree.frames == expected.frames, "\(text)")
        }
    }

    @Test(
        "is detected from the structure",
        arguments: [
            ("{\"callStacks\":[]}", PayloadShape.callStackTree),
            ("{\"callStackTree\":{\"callStacks\":[]}}", .callStackTree),
            ("{\"callStackTree\":{},\"diagnosticMetaData\":{}}", .diagnostic),
            ("{\"callStackTree\":{},\"version\":\"1.0.0\"}", .diagnostic),
            ("{\"callStackTree\":{},\"hangDuration\":{}}", .diagnosticReport27),
            ("{\"callStackThreads\":[]}", .callStackTree),
            ("{\"hangDiagnostics\":[]}", .diagnosticPayload),
            ("{\"timeStampBegin\":\"\",\"timeStampEnd\":\"\"}", .diagnosticPayload),
            ("{\"timeStampEnd\":\"\",\"metaData\":{}}", .metricPayload),
            ("{\"timeStampEnd\":\"\",\"gpuMetrics\":{}}", .metricPayload),
            ("{\"timeRange\":{},\"environment\":{}}", .diagnosticReport27),
            ("{\"intervalEntries\":[]}", .metricReport27),
            ("{\"stateEntries\":[]}", .metricReport27),
            (#"{"timeRange":{},"environment":{},"intervalEntries":[]}"#, .metricReport27),
            ("{\"resourceLogs\":[]}", .logRecords), ("{\"attributes\":[]}", .logRecord),
            ("{\"a\":1}", .unknown), ("[]", .unknown), ("[[[", .unknown), ("\"[]\"", .unknown),
            ("7", .unknown),
            ("hello", .unknown),
            ("\"hello\"", .unknown), ("null", .unknown), ("", .unknown), (" \n", .unknown),
            ("{\"payload\":{\"payload\":{\"callStacks\":[]}}}", .unknown),
            ("{\"callStacks\":7}", .unknown),
        ])
    func detected(text: String, shape: PayloadShape) {
        let payload = read(text)
        #expect(payload.elements.map(\.shape) == [shape])
        #expect(
            payload.elements.allSatisfy {
                $0.remarks.contains(.unknownShape) == (shape == .unknown)
            })
    }

    @Test("may be a string of JSON, decoded once and not twice")
    func encodedTwice() throws {
        func quoted(_ text: String) -> String {
            let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            return "\"\(escaped)\""
        }
        #expect(try resolved(quoted(bare)).tree == resolved(bare).tree)
        let twice = read(quoted(quoted(bare)))
        #expect(twice.diagnostics.isEmpty)
        #expect(twice.elements.map(\.shape) == [.unknown])
    }

    @Test(
        "of a batch is detected for each element, and a bad one does not affect its neighbours",
        arguments: [
            "[A,{\"x\":1},A]", "[A,{\"x\":tru},A]", "[\nA,\n{\"x\":[1},\nA\n]", "A\n{\"x\"\nA",
            "A {x} A",
            "A\n{\"callStackTree\":\nA", "[A,7,A]", "[A,\"\\q\",A]", "[A]\n[7,A]",
            "[A,{\"x\":\"\\\"}\",y},A]", "A\nxyz\nA\n",
        ])
    func batch(form: String) throws {
        let payload = read(form.replacing("A", with: bare))
        #expect(payload.diagnostics.count == 2, "\(payload.elements)")
        #expect(payload.elements.count == 3)
        #expect(payload.elements.count { !$0.unread.isEmpty } == 1)
        let text = Array(form.replacing("A", with: bare).utf8)
        for element in payload.elements
        where element.shape == .callStackTree && element.unread.isEmpty {
            let found = text[element.range.clamped(to: text.indices)]
            #expect(String(decoding: found, as: UTF8.self) == bare)
        }
    }

    @Test("of metrics is recognised, and of iOS 27 marked as not converted")
    func metrics() throws {
        let old = try #require(read("{\"timeStampEnd\":\"\",\"cpuMetrics\":{}}").elements.first)
        #expect(old.unread.isEmpty)
        let text = "{\"version\":\"2.0.0\",\"intervalEntries\":[]}"
        let report = try #require(read(text).elements.first)
        #expect(report.remarks == [.metricReport27Unmapped])
    }

    @Test("may have several diagnostics of several kinds, in a fixed order")
    func severalKinds() throws {
        let one = diagnostic(bare)
        let text = """
            {"hangDiagnostics":[\(one)],"timeStampEnd":"t","appLaunchDiagnostics":[\(one)],
            "crashDiagnostics":[\(one),7,\(one)],"diskWriteExceptionDiagnostics":[\(one)],
            "cpuExceptionDiagnostics":[\(one)]}
            """
        let payload = read(text)
        #expect(
            payload.diagnostics.map(\.kind) == [
                .crash, .crash, .hang, .cpuException, .diskWriteException, .appLaunch,
            ])
        try #require(!payload.elements.isEmpty)
        #expect(payload.elements[0].unread.map(\.remark) == [.unknownShape])
        #expect(payload.diagnostics.allSatisfy { $0.details.timestamp == "t" })
    }

    @Test("without stacks is valid")
    func noStacks() throws {
        let diagnostic = try resolved("{\"callStacks\":[]}")
        #expect(diagnostic.tree.stacks.isEmpty)
        #expect(diagnostic.remarks.isEmpty)
    }

    @Test("ends a batch at its limit, with a remark")
    func elementsLimit() {
        var limits = PayloadLimits()
        limits.elements = 2
        #expect(read("[\(bare),\(bare)]", limits: limits).remarks.isEmpty)
        let payload = read("[\(bare),\(bare),\(bare)]", limits: limits)
        #expect(payload.elements.count == 2)
        #expect(payload.remarks == [.sizeLimit])
        #expect(read("\"[7,7,7]\"", limits: limits).remarks == [.sizeLimit])
    }
}
