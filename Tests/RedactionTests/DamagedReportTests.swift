import CallStacks
import LogExtraction
import Redaction
import ReportFixtures
import ReportFormats
import TestSupport
import Testing

/// Reports in JSON with a missing, changed or extra byte.
@Suite("Redaction of damaged JSON")
struct DamagedReportTests {
    private static let header = #"{"bug_type":"309","os_version":"iOS 18.1","name":"Orchard"}"#
    private static let members = [
        #""uptime": 7"#, #""procRole": "Foreground""#, #""translated": false"#,
        #""crashReporterKey": "D0D0CAFE""#,
        #""exceptionReason": {"arguments": ["orchid", 7654321], "composed_message": "orchid"}"#,
        #""asi": {"libswiftCore.dylib": ["orchid of jane@example.com"]}"#,
        #""vmSummary": "orchid""#, #""jane@example.com": 7"#, #""procPath": "/Users/jane/Orchard""#,
        #""threads": [{"threadState": {"x": [{"value": 7654322}]}, "queue": "com.example","#
            + #" "frames": [{"imageOffset": 17540, "symbol": "crush()", "imageIndex": 0}]}]"#,
        #""instructionByteStream": {"beforePC": "orchid"}"#,
        #""usedImages": [{"uuid": "4c4c4481-5555-3144-a199-bfceae3fe729", "base": 4372742144}]"#,
    ]
    private static let oneLine = "{" + members.joined(separator: ", ") + "}"
    /// The body with each member and container on lines of their own.
    private static let indented =
        oneLine.replacing(", \"", with: ",\n  \"").replacing("{", with: "{\n  ")
        .replacing("}", with: "\n  }").replacing("{\n  \"up", with: "{\n  \"up") + "\n"

    /// A damage as the text before and after.
    private static let damages = [
        (#""procRole":"#, #""procRole";"#), (#""procRole":"#, #""procRole""#),
        (#""translated":"#, #""translated:"#), (#""translated":"#, #"translated":"#),
        ("false", "fal"), ("false", "\u{0}"), (#""uptime": 7,"#, #""uptime": 7,,"#),
        (#""uptime": 7,"#, #""uptime": 7"#), (#""Foreground""#, #""Foreground"#),
        (#""Foreground""#, #"Foreground""#),
        (#""crashReporterKey""#, #"crashReporterKey""#), (#""D0D0CAFE""#, #"D0D0CAFE""#),
        (#""D0D0CAFE""#, #""D0D0CAFE"#),
        (#""exceptionReason": {"#, #""exceptionReason": {{"#), (#""asi": {"#, #""asi" {"#),
        (#""asi": {"#, #"}, "asi": {"#), (#""asi": {"#, #""asi": {{"#),
        (#""threadState": {"#, #""threadState" {"#), (#""threadState": {"#, #""threadState": [{"#),
        (#""usedImages": ["#, #""usedImages": ]"#),
    ]

    private func redacted(_ text: String, _ level: RedactionLevel) -> String {
        FileRedaction(level).redacted(bytes(text), readAs: CrashFileReader().read(bytes(text)))
            .text
    }

    private func expectRedacted(_ text: String, _ level: RedactionLevel, _ title: String) {
        let result = redacted(text, level)
        let secrets = ["D0D0CAFE", "jane"] + (level == .strict ? ["orchid", "765432"] : [])
        for secret in secrets { #expect(!result.contains(secret), "\(title): \(result)") }
        for kept in [
            "17540", "crush()", "4c4c4481-5555-3144-a199-bfceae3fe729", "4372742144",
        ] {
            #expect(result.contains(kept), "\(title): \(result)")
        }
    }

    @Test("private values after the damage are redacted", arguments: RedactionTests.levels)
    func body(level: RedactionLevel) {
        for body in [Self.oneLine, Self.indented] {
            for (before, after) in Self.damages {
                let spaced = before.replacing("{", with: body == Self.indented ? "{\n  " : "{")
                let damaged = body.replacing(
                    body.contains(before) ? before : spaced, with: after, maxReplacements: 1)
                #expect(damaged != body)
                expectRedacted(Self.header + "\n" + damaged, level, "\(before) as \(after)")
            }
        }
    }

    @Test("a report truncated at any byte has no private value", arguments: RedactionTests.levels)
    func truncated(level: RedactionLevel) {
        for body in [Self.oneLine, Self.indented] {
            for end in stride(from: 0, to: body.utf8.count, by: 3) {
                let text = redacted(Self.header + "\n" + bytes(body)[..<end].text, level)
                let secrets = ["D0D0CAFE", "jane"] + (level == .strict ? ["orchid"] : [])
                for secret in secrets { #expect(!text.contains(secret), "\(end): \(text)") }
            }
        }
    }

    private static let privateHeader =
        #"{"bug_type":"309","name":"Orchard","crashReporterKey":"D0D0CAFE","#
        + #""asi":{"a":["orchid"]},"os_version":"iOS 18.1""#

    @Test(
        "a damaged header is redacted, and the body after it as before",
        arguments: [
            "", ",", #", "path": "/Users/jane/"#, #","composed_message":"orchid"#,
            #","share"": 1}"#, #",, "user": {"id": "jane"}}"#,
        ])
    func header(end: String) {
        let header = Self.privateHeader + end + "\n"
        for level in RedactionTests.levels {
            for body in [Self.oneLine, Self.indented] {
                expectRedacted(header + body, level, end)
                let whole = redacted(Self.header + "\n" + body, level)
                #expect(
                    redacted(header + body, level).hasSuffix(
                        whole.drop { $0 != "\n" }))
            }
            let text = redacted(header + PrivateReport.crash.text, level)
            #expect(text.hasSuffix("\n" + redacted(PrivateReport.crash.text, level)), "\(text)")
            #expect(!text.contains("D0D0CAFE"))
        }
    }

    @Test("damaged JSON is redacted in linear time")
    func linear() {
        for part in ["[", "}", #""a" "#, #"""#, #"{"asi":"#, #"\""#, "\"\n", #"{"asi" {"#] {
            let text = Self.header + "\n{\"asi\" {" + String(repeating: part, count: 50_000)
            let duration = ContinuousClock().measure { _ = redacted(text, .strict) }
            #expect(duration < .seconds(60), "\(part)")
        }
    }
}
