import Testing

@testable import OTLP

@Suite("Halves of surrogate pairs in JSON")
struct SurrogateTests {
    @Test(
        "become replacement characters, and nothing else changes",
        arguments: [
            (#"cut \ud83d"#, "cut \u{fffd}"), (#"\ude00!"#, "\u{fffd}!"),
            (#"\ud83d\ude00 \ud83d"#, "😀 \u{fffd}"), (#"\ud83d\ud83d\ude00"#, "\u{fffd}😀"),
            (#"\ude00\ud83d"#, "\u{fffd}\u{fffd}"), (#"\\ud83d \uD83D"#, #"\ud83d \#u{fffd}"#),
        ])
    func halves(json: String, text: String) throws {
        let request =
            #"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":""# + json
            + #""}}]}]}]}"#
        let logs = try ExportLogsServiceRequest(decoding: Array(request.utf8), as: .json)
        #expect(logs.resourceLogs[0].scopeLogs[0].logRecords[0].body.stringValue == text)
    }

    @Test(
        "are searched only where escapes are",
        arguments: [
            "", #"\"#, #"\u"#, #"\ud83"#, #"\\ud83d"#, #"\ud83d\ude00"#, #"\u0041"#, "ud83d",
            #"\uzzzz"#,
        ])
    func whole(json: String) {
        #expect(SurrogateRepair.repaired(Array(json.utf8)) == nil)
    }

    @Test("an error elsewhere is reported as before")
    func otherErrors() {
        #expect(throws: OTLPError.self) {
            try ExportLogsServiceRequest(
                decoding: Array(#"{"resourceLogs":[{"schemaUrl":"\ud83d","x""#.utf8), as: .json)
        }
    }
}
