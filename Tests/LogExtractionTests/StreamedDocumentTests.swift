import TestSupport
import Testing

@testable import LogExtraction

@Suite("JSON documents in a stream")
struct StreamedDocumentTests {
    /// The output after each line that arrives alone, with reports between brackets.
    private func outputs(_ lines: [String]) -> [String] {
        var stream = ReportStream()
        let outputs = lines.map { text(of: stream.add(Array("\($0)\n".utf8))) }
        return outputs + [text(of: stream.end())]
    }

    private func text(of pieces: [ReportStream.Piece]) -> String {
        pieces.map { piece in
            switch piece {
            case .lines(let bytes): String(decoding: bytes, as: UTF8.self)
            case .report(let bytes): "<<\(String(decoding: bytes, as: UTF8.self))>>"
            case .cut: "<cut>"
            }
        }.joined()
    }

    /// The output of a stream whose bytes arrive in parts.
    private func output(_ text: String, partLength: () -> Int) -> String {
        var stream = ReportStream()
        var rest = Array(text.utf8)[...]
        var output = ""
        while !rest.isEmpty {
            let part = rest.prefix(partLength())
            rest = rest.dropFirst(part.count)
            output += self.text(of: stream.add(Array(part)))
        }
        return output + self.text(of: stream.end())
    }

    private let header = #"{"bug_type":"309","os_version":"macOS 26.1"}"#
    private let body = ["{", "  \"threads\" : [", "  ],", "  \"usedImages\" : []", "}"]

    @Test(
        "a line after an object that is not a report is passed on at once",
        arguments: [["{", "  \"a\": 1", "}"], ["["], ["{"], ["[", "  1", "]"], ["{", "\"a\":"]])
    func ordinaryObject(object: [String]) {
        let outputs = outputs(["start"] + object + ["ready", "done"])
        #expect(outputs.prefix(object.count + 2).joined() == joined(["start"] + object + ["ready"]))
        #expect(outputs[object.count + 2] == "done\n")
    }

    private func joined(_ lines: [String]) -> String { lines.map { "\($0)\n" }.joined() }

    @Test("a report in JSON ends with the line after it", arguments: [[], ["start"]])
    func report(before: [String]) {
        let report = [header] + body
        let outputs = outputs(before + report + ["ready", "done"])
        #expect(
            outputs[before.count + report.count] == "<<\(joined(report))>>ready\n")
        #expect(outputs[before.count + report.count + 1] == "done\n")
    }

    @Test("a header without a body ends with the next line")
    func bareHeader() {
        let time = "2026-11-30 10:00:00 INFO ready"
        #expect(outputs(["start", header, time])[2] == "<<\(header)\n>>\(time)\n")
    }

    @Test("a text report and a system profile belong to the header above them")
    func parts() {
        let text = ["Incident Identifier: 1", "Thread 0:", "0   Orchard   0x1020 press + 16"]
        #expect(outputs([header] + text).last == "<<\(joined([header] + text))>>")
        let profile = [header] + body + ["", "System Profile:", "Memory: 8 GB", "USB31Bus: none"]
        #expect(
            outputs(profile + ["[info] ready"])[profile.count].hasPrefix("<<\(joined(profile))>>"))
    }

    @Test("a report over several lines is found in a log")
    func inLog() {
        let payload = ["{", "  \"timeStampBegin\": 1,", "  \"crashDiagnostics\": []", "}"]
        let outputs = outputs(["start"] + payload + ["ready"])
        #expect(outputs[payload.count + 1] == "<<\(joined(payload))>>ready\n")
    }

    @Test("a damaged report keeps its lines, and ends with the first one that is not indented")
    func damaged() {
        let lines = [header, "{", "  \"threads\" : [", "    {", "    }}", "    \"a\" : 1", "}"]
        #expect(outputs(lines + ["ready"])[lines.count] == "<<\(joined(lines))>>ready\n")
    }

    @Test("brackets in a text report belong to it unless they begin a report")
    func inText() {
        let text =
            ["Thread 0 Crashed:", "0   Orchard  0x1000 0x0 + 4096", "{", "x", "}"]
            + ["1   Orchard  0x1000 0x0 + 4096"]
        #expect(outputs(["start"] + text).last == "<<\(joined(text))>>")
    }

    @Test("the output does not depend on how the bytes arrive", arguments: UInt64(0)..<200)
    func division(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let lines =
            body + [
                header, "{", "[", "]", "}", "  {", "ready", "12:00 [info] ready", "[1,2]", "",
                "Thread 0 Crashed:", "0   Orchard  0x1000 0x0 + 4096", "EOF", "\"a\": 1,",
                "{\"callStackTree\": {", "{\"message\":\"ready\"}", "{\"callStacks\":", "\r",
                "{\"callStacks\": []}", "System Profile:", "Memory: 8 GB", "Full Report",
            ]
        let text = (0..<Int.random(in: 0...60, using: &numbers)).map { _ in
            lines.randomElement(using: &numbers).map { "\($0)\n" } ?? ""
        }.joined()
        let whole = output(text) { text.utf8.count }
        #expect(output(text) { Int.random(in: 1...30, using: &numbers) } == whole)
        let longest = lines.map(\.utf8.count).max() ?? 1
        #expect(output(text) { longest + 1 } == whole)
    }

    @Test("a long line of a report may arrive in parts")
    func longLine() {
        let value = String(repeating: "x", count: ReportStream.lineLimit)
        let text =
            "start\n\(header)\n{\"threads\":[],\"usedImages\":[],\"a\":\"\(value)\"}\nready\n"
        let whole = output(text) { text.utf8.count }
        #expect(whole.hasSuffix("}\n>>ready\n"))
        #expect(output(text) { 1 << 16 } == whole)
    }
}
