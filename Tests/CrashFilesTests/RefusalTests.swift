import CrashFiles
import MetricKitPayloads
import Testing

@Suite("Files that hold no report")
struct RefusalTests {
    private func explanation(_ bytes: [UInt8]) -> String? {
        let file = CrashFileReader().read(bytes)
        #expect(file.reports.isEmpty)
        return file.unread.first?.explanation
    }

    @Test(
        "are told by their first bytes, with what to do",
        arguments: [
            ([0x7f, 0x45, 0x4c, 0x46, 2, 1], "symbolist upload"),
            ([0xcf, 0xfa, 0xed, 0xfe, 0], "symbolist upload"),
            (Array("bplist00".utf8), "plutil"), (Array("plcrash\u{1}".utf8), "PLCrashReporter"),
            (tombstone, "tombstone"), ([0xff, 0xfe, 0x41, 0], "UTF-16"), ([], "is empty"),
        ] as [([UInt8], String)])
    func signature(bytes: [UInt8], expected: String) {
        #expect(explanation(bytes)?.contains(expected) == true)
    }

    /// A binary tombstone: architecture, fingerprint, revision.
    static let tombstone: [UInt8] =
        [0x08, 1, 0x12, 12] + bytes("google/shiba") + [0x1a, 4] + bytes("MP1.")

    @Test("are reports of a kind that is known, or not")
    func kinds() {
        let reports = [
            Self.tombstone, bytes("plcrash\u{1}"), bytes(#"{"processByPid": {}}"#),
            bytes(#"{"memoryStatus": {}, "processes": []}"#), bytes(#"{"panicString": "x"}"#),
            bytes(#"{"load":{"path":"/A"}}"#), bytes("{\"bug_type\":\"298\"}\nhello"),
        ]
        for report in reports { #expect(CrashFileReader().read(report).holdsRefusedReport) }
        for other in [bytes("bplist00"), [0x7f, 0x45, 0x4c, 0x46], bytes("hello"), bytes("{}")] {
            #expect(!CrashFileReader().read(other).holdsRefusedReport)
        }
    }

    @Test("are quoted, with the formats that are read")
    func quoted() {
        let page = Array("<!DOCTYPE html>\n<html>\u{1b}[31m\nthird\nfourth".utf8)
        let text = explanation(page) ?? ""
        #expect(text.contains(#""<!DOCTYPE html>", "<html>?[31m", "third":"#))
        #expect(text.contains(".ips"))
        #expect(!text.contains("fourth"))
    }

    @Test("of zeros or of an image are answered at once")
    func binary() {
        #expect(explanation([UInt8](repeating: 0, count: 1 << 20)) != nil)
        #expect(explanation([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]) != nil)
    }
}
