import CallStacks
import JSONText
import LogExtraction
import ReportFixtures
import ReportFormats
import Testing

/// Reports in JSON without a header, and printed frames, as logs contain them.
@Suite("Reports in JSON inside logs and quotes")
struct LoggedObjectTests {
    private static let uuid = "4C4C4481-5555-3144-A199-BFCEAE3FE729"
    private static let tree =
        #"{"callStacks":[{"threadAttributed":true,"callStackRootFrames":[{"binaryUUID":""#
        + uuid + #"","binaryName":"Orchard","offsetIntoBinaryTextSegment":17376}]}]}"#
    private static let payload =
        #"{"timeStampEnd":"2026-11-20 08:00:00","crashDiagnostics":[{"version":"1.0.0","#
        + #""callStackTree":\#(tree),"diagnosticMetaData":{"signal":4}}]}"#
    private static let kscrash =
        #"{"report":{"id":"1"},"binary_images":[{"image_addr":4096,"image_size":32768,"#
        + #""name":"/a/Orchard","uuid":"\#(uuid)"}],"crash":{"error":{"type":"signal"},"#
        + #""threads":[{"crashed":true,"index":0,"backtrace":{"contents":[{"object_addr":4096,"#
        + #""object_name":"Orchard","instruction_addr":21472}]}}]}}"#
    private static let frames =
        "0   CoreFoundation   0x00000001804658a8 __exceptionPreprocess + 172\n"
        + "1   Orchard   0x0000000104a303e0 \(uuid) + 17376"
    private static let texts = [tree, payload, kscrash, "stopped\n" + frames]

    private func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return writer.bytes.text
    }

    /// Whether a file and a stream contain one report with the frame.
    private func check(_ log: String) {
        let reports = CrashFileReader().read(bytes(log)).reports
        #expect(reports.count == 1, "\(log)")
        let frame = reports.first?.resolved().tree.frames.last
        #expect(frame?.image == ImageID(Self.uuid), "\(log)")
        #expect(frame?.site?.offset == ImageOffset(17_376), "\(log)")
        var stream = ReportStream()
        let pieces = stream.add(bytes("ready\n" + log)) + stream.end()
        let streamed = pieces.flatMap { piece -> [CrashReport] in
            guard case .report(let bytes) = piece else { return [] }
            return CrashFileReader().read(bytes).reports
        }
        #expect(streamed.map { $0.resolved().tree } == reports.map { $0.resolved().tree }, "\(log)")
    }

    @Test("a report is read from a record, alone and between others", arguments: texts)
    func records(text: String) {
        let record = #"{"ts":1,"message":\#(quoted(text))}"#
        check(record + "\n")
        check(
            #"{"ts":0,"message":"ready"}"# + "\n\(record)\n" + #"{"ts":2,"message":"bye"}"# + "\n")
    }

    @Test("a report is read from a container's log", arguments: texts)
    func containers(text: String) {
        check(#"{"log":\#(quoted(text + "\n")),"stream":"stdout"}"# + "\n")
    }

    @Test("a report is read from a line with other text", arguments: [tree, payload, kscrash])
    func inline(text: String) {
        check("2026-11-20 08:00:00 INFO {shop} payload \(text) sent\n")
        check(#"{"level":"info","message":\#(quoted("payload \(text)"))}"# + "\n")
    }

    @Test("a quoted report is read", arguments: [tree, payload, kscrash], ["> ", "    "])
    func quoted(text: String, mark: String) {
        let lines = text.replacing("[{", with: "[\n{").split(separator: "\n")
        let quoted = lines.map { mark + $0 + "\n" }.joined()
        let reports = CrashFileReader().read(bytes("It broke:\n\n\(quoted)\nHelp!\n")).reports
        #expect(reports.map { $0.resolved().tree.frames.map(\.image) } == [[ImageID(Self.uuid)]])
    }

    @Test("functions are written into a payload in a line with other text")
    func written() async throws {
        let line = "INFO payload \(Self.payload) sent\n"
        let plain = await OrchardSymbols.written(bytes(Self.payload)).text
        #expect(plain.contains("symbolName"))
        #expect(await OrchardSymbols.written(bytes(line)).text == "INFO payload \(plain) sent\n")
    }

    @Test("text after a payload is not a problem", arguments: ["", "[", "\n"])
    func tail(start: String) {
        let end = start == "[" ? "]" : ""
        let text = start + Self.payload + end + "\n-- \nSent from my phone\n"
        let file = CrashFileReader().read(bytes(text))
        #expect(file.reports.count == 1)
        #expect(file.unread.isEmpty && file.remarks.isEmpty)
    }

    @Test("a damaged payload after another one is still a problem")
    func damagedTail() {
        let file = CrashFileReader().read(bytes(Self.payload + "\n{\"crashDiagnostics\":[x"))
        #expect(file.reports.count == 1)
        #expect(!file.unread.isEmpty)
    }

    @Test("functions are written into JSON that was encoded twice")
    func encodedTwice() async {
        let plain = await OrchardSymbols.written(bytes(Self.payload)).text
        let written = await OrchardSymbols.written(bytes(quoted(Self.payload) + "\n"))
        #expect(written.text == quoted(plain) + "\n")
    }
}
