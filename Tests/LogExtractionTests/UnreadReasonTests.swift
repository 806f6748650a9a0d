import LogExtraction
import MetricKitPayloads
import ReportFixtures
import ReportFormats
import Testing

@Suite("Files without a supported report")
struct UnreadReasonTests {
    private func explanation(_ bytes: [UInt8]) -> String? {
        let file = CrashFileReader().read(bytes)
        #expect(file.reports.isEmpty)
        return file.unread.first.map { "\($0.problem)" }
    }

    @Test(
        "a file is recognised by its first bytes, and a next step is given",
        arguments: [
            ([0x7f, 0x45, 0x4c, 0x46, 2, 1], "symbolist upload"),
            ([0xcf, 0xfa, 0xed, 0xfe, 0], "symbolist upload"),
            (Array("bplist00".utf8), "plutil"), (Array("plcrash\u{1}".utf8), "PLCrashReporter"),
            (tombstone, "tombstone"), ([0xff, 0xfe, 0x41, 0], "UTF-16"),
            ([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0], "UTF-32"), ([0, 0, 0xfe, 0xff], "UTF-32"),
            ([], "is empty"),
        ] as [([UInt8], String)])
    func signature(bytes: [UInt8], expected: String) {
        #expect(explanation(bytes)?.contains(expected) == true)
    }

    /// A binary tombstone: architecture, fingerprint, revision.
    static let tombstone: [UInt8] =
        [0x08, 1, 0x12, 12] + bytes("google/shiba") + [0x1a, 4] + bytes("MP1.")

    @Test("reports of unsupported kinds are distinguished from other files")
    func kinds() {
        let reports = [
            Self.tombstone, bytes("plcrash\u{1}"), bytes(#"{"processByPid": {}}"#),
            bytes(#"{"memoryStatus": {}, "processes": []}"#), bytes(#"{"panicString": "x"}"#),
            bytes(#"{"kind":"crash","status":"raw","fingerprint":"1:0","threads":[]}"#),
            bytes(#"{"load":{"path":"/A"}}"#), bytes("{\"bug_type\":\"298\"}\nhello"),
        ]
        for report in reports { #expect(CrashFileReader().read(report).hasUnsupportedReport) }
        for other in [bytes("bplist00"), [0x7f, 0x45, 0x4c, 0x46], bytes("hello"), bytes("{}")] {
            #expect(!CrashFileReader().read(other).hasUnsupportedReport)
        }
    }

    @Test("the start of an unknown text is quoted, with the supported formats")
    func quoted() {
        let page = Array("<!DOCTYPE html>\n<html>\u{1b}[31m\nthird\nfourth".utf8)
        let text = explanation(page) ?? ""
        #expect(text.contains(#"(begins with "<!DOCTYPE html>", "<html>?[31m", "third")"#))
        #expect(!text.contains("fourth"))
    }

    @Test("zeros and image files are rejected at once")
    func binary() {
        #expect(explanation([UInt8](repeating: 0, count: 1 << 20)) != nil)
        #expect(explanation([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]) != nil)
    }

    @Test(
        "a report of a kind without stacks is recognised by its text",
        arguments: [
            (
                "panic(cpu 2 caller 0xfffffe002be4a5a8): jammed\nDebugger message: panic",
                "kernel panic"
            ),
            ("Sat Jun 16 14:12:49 2018\n\n*** Panic Report ***\n", "kernel panic"),
            ("*** First throw call stack:\n(0x18b66f5e4 0x104a2fac0)\n", "no images"),
            (
                #"{"bug_type":"210"}"# + "\n" + #"{"panicString":"x","processByPid":{}}"#,
                "kernel panic"
            ),
            (
                #"{"bug_type":"151"}"# + "\n" + #"{"string":"panic(cpu 1 caller 0x1)"}"#,
                "kernel panic"
            ),
            (#"{"bug_type":"288"}"# + "\n" + #"{"bug_type":"288","processByPid":{}}"#, "stackshot"),
            (#"{"bug_type":"288","processByPid":{}}"#, "stackshot"),
            (#"{"bug_type":"211"}"# + "\n" + #"{"message":{"Count":1}}"#, "analytics log"),
            (
                #"{"bug_type":"188"}"# + "\nIncident Identifier: 7C2F\nReason: by hand\n",
                "stackshot"
            ),
            ("Incident Identifier: 7C2F\nLargest process:   Orchard\n", "jetsam report"),
        ])
    func kind(text: String, expected: String) {
        #expect(explanation(Array(text.utf8))?.contains(expected) == true)
    }
}
