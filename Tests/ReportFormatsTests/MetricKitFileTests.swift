import CallStacks
import LogExtraction
import MetricKitPayloads
import ReportFixtures
import ReportFormats
import Testing

@Suite("JSON with call-stack trees")
struct MetricKitFileTests {
    /// Trees in every layout: innermost first and outermost first, nested and flat, alone and in a
    /// payload.
    static let trees = [
        "divide-by-zero.crash", "divide-by-zero.crash-ios14", "divide-by-zero.flat",
        "divide-by-zero.tree", "divide-by-zero.wrapped-tree", "divide-by-zero.ios27-tree",
        "divide-by-zero.ios27-report", "index-rebuild.hang", "index-rebuild.flat",
        "index-rebuild.tree", "background-index.cpu-exception", "deep-recursion.crash",
        "several.payload",
    ]

    @Test(
        "functions are written into existing frames without adding frames", arguments: trees)
    func written(name: String) async throws {
        let once = await SymbolicatedFile(try HungOrchard.fixture(name + ".json"))
        let twice = await SymbolicatedFile(once.text)
        #expect(once.text.contains("\"symbolName\""))
        #expect(once.text.contains("\"inlined\":true"))
        #expect(twice.text == once.text)
        #expect(once.file.unread.isEmpty && twice.file.unread.isEmpty)
        for (before, after) in zip(once.file.reports, twice.file.reports) {
            #expect(before.resolved().tree.frames == after.resolved().tree.frames)
            #expect(!after.resolved().tree.reportedFunctions.isEmpty)
        }
        #expect(once.file.reports.count == twice.file.reports.count)
    }

    @Test("a file without resolved frames stays unchanged", arguments: trees)
    func unresolved(name: String) async throws {
        let text = String(decoding: try HungOrchard.fixture(name + ".json"), as: UTF8.self)
            .replacing("4C4C44", with: "5C5C44")
        #expect(await SymbolicatedFile(text).text == text)
    }

    private let orchard = "4C4C4481-5555-3144-A199-BFCEAE3FE729"

    private func frame(_ offset: Int, _ rest: String = "") -> String {
        "{\n \"binaryUUID\" : \"\(orchard)\",\n \"offsetIntoBinaryTextSegment\" : \(offset)\(rest)}"
    }

    private func tree(_ root: String) -> String {
        "{\"callStacks\":[{\"threadAttributed\":true,\"callStackRootFrames\":[\(root)]}]}"
    }

    private let names = """
        ,
         "symbolName" : "main",
         "offsetIntoSymbol" : "28",
         "fileName" : "OrchardApp.swift",
         "lineNumber" : "0"
        """

    private var inlined: [String] {
        let place = "\"binaryUUID\":\"\(orchard)\",\"offsetIntoBinaryTextSegment\":18036"
        return [
            "{\(place),\"inlined\":true,\"symbolName\":\"static OrchardApp.$main()\","
                + "\"offsetIntoSymbol\":\"20\",\"fileName\":\"<compiler-generated>\","
                + "\"lineNumber\":\"0\"",
            "{\(place),\"inlined\":true,\"symbolName\":\"static OrchardApp.main()\","
                + "\"offsetIntoSymbol\":\"20\",\"fileName\":\"OrchardApp.swift\","
                + "\"lineNumber\":\"8\"",
        ]
    }

    @Test("inlined calls are between a function and its callee")
    func outermostFirst() async {
        let leaf = "{\"binaryName\":\"libsystem_kernel.dylib\"}"
        let held = ",\"subFrames\":[\(leaf),\(leaf)]"
        let symbolicated = await SymbolicatedFile(tree(frame(18_036, held)))
        let inner = inlined.joined(separator: ",\"subFrames\":[")
        #expect(
            symbolicated.text
                == tree(frame(18_036, "\(names),\"subFrames\":[\(inner)\(held)}]}]")))
        #expect(await SymbolicatedFile(symbolicated.text).text == symbolicated.text)
    }

    @Test("inlined calls are around a function where callers are below")
    func innermostFirst() async {
        let crash = { "{\"crashDiagnostics\":[{\"callStackTree\":\(self.tree($0))}]}" }
        let text = crash(frame(16_912, ",\"subFrames\":[\(frame(18_036))]"))
        let symbolicated = await SymbolicatedFile(text)
        let around = inlined.reversed().map { $0 + ",\"subFrames\":[" }.joined()
        #expect(symbolicated.text.contains("\"subFrames\":[\(around)\(frame(18_036, names))]}]}]"))
        #expect(await SymbolicatedFile(symbolicated.text).text == symbolicated.text)
    }

    @Test("names from another writer are replaced, and false inlined calls are removed")
    func replaced() async {
        let wrong =
            ",\"symbolName\":\"start\",\"subFrames\":[" + frame(16_912, ",\"inlined\":true") + "]"
        let symbolicated = await SymbolicatedFile(tree(frame(16_912, wrong)))
        #expect(
            symbolicated.text
                == tree(
                    frame(
                        16_912,
                        ",\"symbolName\":\"rebuildIndex(rows:)\",\n "
                            + "\"offsetIntoSymbol\" : \"12\",\n \"fileName\" : \"Kit.swift\",\n "
                            + "\"lineNumber\" : \"61\",\"subFrames\":[]")))
        #expect(await SymbolicatedFile(symbolicated.text).text == symbolicated.text)
    }

    @Test("members that another writer added to an inlined call are kept")
    func besideInlined() async {
        let call = frame(18_036, ",\"inlined\":true,\"symbolName\":\"start\"")
        let held = ",\"subFrames\":[\(call),\(frame(16_912))]"
        let symbolicated = await SymbolicatedFile(tree(frame(18_036, held)))
        let names = ",\n \"symbolName\" : \"rebuildIndex(rows:)\""
        #expect(symbolicated.text.contains("\(call),\(frame(16_912, names).dropLast())"))
        #expect(await SymbolicatedFile(symbolicated.text).text == symbolicated.text)
    }

    @Test("a log record has the symbolicated stack as text, in addition to the received one")
    func logRecord() async throws {
        for name in ["divide-by-zero.otlp.json", "index-rebuild.otlp-nested.json"] {
            let once = await SymbolicatedFile(try HungOrchard.fixture(name))
            #expect(once.file.reports.count == 1)
            #expect(once.text.contains("{\"key\":\"exception.stacktrace.original\",\"value\":{"))
            #expect(
                once.text.contains(
                    "{\"key\":\"exception.symbolicator.failed\",\"value\":{\"boolValue\":false}}"))
            #expect(once.text.contains("\"stringValue\":\"Thread 0 "))
            #expect(once.text.contains("\"symbolist.images.missing\",\"value\":{\"arrayValue\":"))
            #expect(await SymbolicatedFile(once.text).text == once.text)
        }
    }

    @Test("attributes of a record that do not apply to the result are removed")
    func removedAttributes() throws {
        /// The edits of a record whose result has neither an error nor a column.
        func edits(_ text: String) throws -> [Edit] {
            let report = try #require(CrashFileReader().read(bytes(text)).reports.first)
            let diagnostic = report.resolved()
            let functions = diagnostic.tree.frames.indices.map { index in
                (index, [FoundFunction(name: "press", line: 3)])
            }
            var result = diagnostic.symbolicated(Dictionary(uniqueKeysWithValues: functions))
            result.culpritIndex = 0
            return report.edits(with: result)
        }
        let received = try HungOrchard.fixture("divide-by-zero.otlp.json").text
        let plain = try edits(received).applied(to: bytes(received)).text
        let error = #"{"key":"exception.symbolicator.error","value":{"stringValue":"old"}}"#
        let column = #"{"key":"code.column.number","value":{"intValue":"7"}}"#
        let end = try #require(try edits(received).last?.range.lowerBound)
        var text = received
        text.insert(
            contentsOf: ", \(error)\n,\(column)",
            at: text.utf8.index(text.startIndex, offsetBy: end))
        for key in ["exception.stacktrace", "name"] {
            let start = try #require(text.firstRange(of: "{\n         \"key\": \"\(key)\""))
            text.insert(contentsOf: "\(column),\n\(error), ", at: start.lowerBound)
        }
        #expect(try edits(text).applied(to: bytes(text)).text == plain)
    }

    @Test("a file truncated at any byte is read")
    func cut() async throws {
        let bytes = try HungOrchard.fixture("several.payload.json")
        for step in 0..<50 {
            let cut = Array(bytes[..<(bytes.count * step / 50)])
            #expect(await SymbolicatedFile(cut).text.utf8.count >= cut.count)
        }
    }

    @Test(
        "symbolicating the output of a damaged file changes nothing",
        arguments: trees)
    func damagedTwice(name: String) async throws {
        let whole = try HungOrchard.fixture(name + ".json")
        for step in 1..<40 {
            let place = whole.count * step / 40
            var flipped = whole
            flipped[place] ^= 1 << UInt8(step % 7)
            for bytes in [Array(whole[..<place]), flipped] {
                let once = await SymbolicatedFile(bytes)
                #expect(await SymbolicatedFile(once.text).text == once.text, "\(place)")
            }
        }
    }

    @Test("an inlined call whose function has another address stays unchanged")
    func strayInlined() async {
        let call = frame(18_036, ",\"inlined\":true,\"symbolName\":\"start\"")
        let once = await SymbolicatedFile(tree(frame(16_912, ",\"subFrames\":[\(call)]")))
        #expect(once.text.contains("\"rebuildIndex(rows:)\""))
        #expect(once.text.contains(call))
        #expect(await SymbolicatedFile(once.text).text == once.text)
    }

    @Test("inlined calls around a truncated frame stay open like the frame")
    func truncatedFrame() async {
        let leaf = frame(16_912, ",\"subFrames\":[" + frame(18_036)).dropLast(2)
        let text =
            "{\"crashDiagnostics\":[{\"callStackTree\":{\"callStacks\":["
            + "{\"threadAttributed\":true,\"callStackRootFrames\":[\(leaf),"
        let symbolicated = await SymbolicatedFile(text)
        let around = inlined.reversed().map { $0 + ",\"subFrames\":[" }.joined()
        let end = "\"subFrames\":[\(around)\(frame(18_036, names).dropLast()),"
        #expect(symbolicated.text.hasSuffix(end))
        #expect(await SymbolicatedFile(symbolicated.text).text == symbolicated.text)
    }

    @Test("inlined calls past the limit are dropped, outermost first, with a remark")
    func inlinedLimit() throws {
        var limits = PayloadLimits()
        limits.framesPerTree = 3
        let frames = ["eat", "wash", "peel", "cut"].enumerated().map { index, name in
            frame(16_912, ",\"symbolName\":\"\(name)\"" + (index > 0 ? ",\"inlined\":true" : ""))
        }
        let text = { (count: Int) in
            "{\"callStacks\":[{\"threadAttributed\":true,\"callStackFrames\":["
                + frames[..<count].joined(separator: ",") + "]}]}"
        }
        let whole = try #require(CrashFileReader(limits: limits).read(bytes(text(4))).reports.first)
        #expect(
            whole.resolved().tree.reportedFunctions[0]?.map(\.name) == [
                "cut", "peel", "wash", "eat",
            ])
        #expect(!whole.resolved().tree.remarks.contains(.frameLimit))
        limits.framesPerTree = 2
        let cut = try #require(CrashFileReader(limits: limits).read(bytes(text(4))).reports.first)
        #expect(cut.resolved().tree.reportedFunctions[0]?.map(\.name) == ["peel", "wash", "eat"])
        #expect(cut.resolved().tree.remarks.contains(.frameLimit))
    }
}
