import CallStacks
import JSONText
import LogExtraction
import Redaction
import ReportFixtures
import ReportFormats
import TestSupport
import Testing

/// Members of JSON that are private as a whole, or in another encoding.
@Suite("Redaction of private members")
struct PrivateMemberTests {
    private func redacted(_ text: String, _ level: RedactionLevel) -> String {
        FileRedaction(level).redacted(bytes(text), readAs: CrashFileReader().read(bytes(text)))
            .text
    }

    @Test(
        "a report in bytes of OpenTelemetry is redacted like one in a string",
        arguments: RedactionTests.levels, ["bytesValue", "bytes_value"])
    func base64(level: RedactionLevel, key: String) throws {
        let report = PrivateReport.ips.text
        let value = Base64(bytes(report)).encoded.text
        let text =
            #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":["#
            + #"{"key":"exception.stacktrace","value":{"\#(key)":"\#(value)"}}]}]}]}]}"#
        let record = JSONDocument(bytes(redacted(text, level))).root?["resourceLogs"]?.elements
            .first { _ in true }?["scopeLogs"]?.elements.first { _ in true }?["logRecords"]?
            .elements.first { _ in true }?["attributes"]?.elements.first { _ in true }
        let encoded = try #require(record?["value"]?[key]?.stringBytes)
        let decoded = try #require(Base64(decoding: encoded)).bytes.text
        #expect(decoded == redacted(report, level))
        let other = #"{"resourceLogs":[{"\#(key)":"jane@example.com"}]}"#
        #expect(!redacted(other, level).contains("jane"))
    }

    @Test("bytes that are left out become a string, which is not decoded")
    func leftOutBytes() {
        let text =
            #"{"attributes":[{"key":"session.token","value":{"bytesValue":"c2VrcmV0MjM="}}]}"#
        #expect(
            redacted(#"{"resourceLogs":[\#(text)]}"#, .standard).contains(
                #""value":{"stringValue":"redacted"}"#))
    }

    @Test("base64 is decoded to what was encoded", arguments: 0..<8)
    func encoding(count: Int) {
        let data = (0..<count).map { UInt8(200 + $0) }
        let text = Base64(data).encoded
        #expect(text.count.isMultiple(of: 4) && Base64(decoding: text)?.bytes == data)
    }

    private static let map =
        #"{ "jane@example.com" : 1, "\/Users\/jane\/a":{"x y":[ ]}, "file:///Users/jane%20doe/b":0,"#
        + #" "token=8f2e" : {"jane@example.com": {"/home/jane": null}}, "a.b/c@d" : "\u0041" }"#
    private static let redactedMap =
        #"{ "redacted" : 1, "/Users/USER/a":{"x y":[ ]}, "file:///Users/USER/b":0,"#
        + #" "token=redacted" : {"redacted": {"/home/USER": null}}, "a.b/c@d" : "\u0041" }"#

    @Test(
        "private values in the names of members are redacted, and all other bytes stay",
        arguments: RedactionTests.levels)
    func names(level: RedactionLevel) {
        let report = #"{"bug_type":"309","os_version":"iOS 18.1","name":"Orchard"}"# + "\n"
        func text(_ map: String) -> String {
            report + #"{"legacyInfo": \#(map), "extra": [\#(map)]}"#
        }
        #expect(redacted(text(Self.map), level) == text(Self.redactedMap))
        #expect(redacted(text(Self.redactedMap), level) == text(Self.redactedMap))
    }

    @Test("members whose names only differ in private values keep distinct names")
    func distinctNames() {
        func text(_ map: String) -> String {
            #"{"bug_type":"309","os_version":"iOS 18.1","name":"Orchard"}"# + "\n"
                + #"{"legacyInfo": \#(map)}"#
        }
        let map =
            #"{"jane@example.com": 1, "redacted 2": 2, "joe@example.com": {"joe@example.com": 3},"#
            + #" "/home/jane/a": 4, "jim@example.com": 5, "/home/joe/a": 6}"#
        let redactedMap =
            #"{"redacted": 1, "redacted 2": 2, "redacted 3": {"redacted": 3},"#
            + #" "/home/USER/a": 4, "redacted 4": 5, "/home/USER/a 2": 6}"#
        #expect(redacted(text(map), .standard) == text(redactedMap))
        #expect(redacted(text(redactedMap), .standard) == text(redactedMap))
    }

    @Test("long numbers in the names of members are redacted in messages only")
    func numbersInNames() {
        let report = #"{"bug_type":"309","os_version":"iOS 18.1","name":"Orchard"}"# + "\n"
        let text = report + #"{"userInfo": {"+491701234567": true}, "x": {"+491701234567": true}}"#
        #expect(redacted(text, .standard).ranges(of: "491701234567").count == 1)
    }

    @Test("private values in the names of members in a string with JSON are redacted")
    func namesInStrings() {
        let report = #"{"bug_type":"309","os_version":"iOS 18.1","name":"Orchard"}"# + "\n"
        func text(_ name: String) -> String { report + #"{"extra": "{\"\#(name)\": 5}"}"# }
        #expect(redacted(text("jane@example.com"), .standard) == text("redacted"))
    }

    @Test("the information of an exception is a message")
    func userInfo() {
        let text = PrivateReport.ksCrash.text.replacing(
            #""reason""#, with: #""userInfo":"{ orchid = 1; }","reason""#)
        #expect(text.contains("userInfo") && !redacted(text, .strict).contains("orchid"))
    }

    @Test("frames of a stack in text stay at the strict level, and messages do not")
    func stackText() {
        let frame = "0 Orchard 0x0000000104a30484 0x104a2c000 + 17540"
        let text = PrivateReport.ips.text.replacing(frame, with: "orchid\\n\(frame)")
        let strict = redacted(text, .strict)
        #expect(strict.contains("redacted\\n\(frame)\\n") && !strict.contains("orchid"))
        #expect(redacted(text, .standard).contains("orchid\\n\(frame)\\n"))
    }

    private static let jetsam =
        #"{"bug_type":"298","os_version":"iOS 18.1"}"# + "\n"
        + #"{"memoryStatus":{},"largestProcess":"Press","processes":["#
        + #"{"name":"Orchard","pid":5,"reason":"limit"},{"name":"Press","pid":6},"#
        + #"{"name":"Cider","pid":7,"reason":"idle"}]}"#
    private static let stackshot =
        #"{"bug_type":"288","os_version":"iOS 18.1","name":"Orchard"}"# + "\n"
        + #"{"frontmostPids":[6],"processByPid":{"5":{"procname":"Orchard"},"#
        + #""6":{"procname":"Press","threadById":{"1":{"name":"lever"}}},"#
        + #""7":{"procname":"Cider","threadById":{"1":{"name":"barrel"}}}}}"#

    @Test(
        "the processes that a report is about stay in its list, and the others do not",
        arguments: [jetsam, stackshot])
    func processes(text: String) {
        let standard = redacted(text, .standard)
        let others = ["Cider", "barrel"]
        #expect(
            standard
                == others.reduce(text) { $0.replacing("\"\($1)\"", with: "\"redacted\"") })
        let strict = redacted(text, .strict)
        #expect(strict.contains("Orchard") && strict.contains("Press"))
        #expect(!strict.contains("Cider") && !strict.contains("barrel") && !strict.contains("idle"))
        #expect(CrashFileReader().read(bytes(strict)).reports.count == 1)
    }

    @Test("a list of processes is removed at the strict level if the report is about none of them")
    func noSubject() {
        let text = Self.stackshot.replacing("Orchard", with: "Perry")
            .replacing("[6]", with: "[]").replacing(#""name":"Perry""#, with: #""x":"""#)
        #expect(redacted(text, .strict).contains(#""processByPid":"redacted"}"#))
    }
}
