import CallStacks
import JSONText
import Testing

@testable import SymbolicatorAPI

@Suite("Facts of crash reports")
struct ReportFactsTests {
    @Test("a system has a name, a version and a build")
    func system() {
        let phone = SystemVersion("iPhone OS 18.1 (22B83)")
        #expect([phone.name, phone.version, phone.build] == ["iPhone OS", "18.1", "22B83"])
        let other = SystemVersion("Linux")
        #expect([other.name, other.version, other.build] == ["Linux", nil, nil])
        #expect(SystemVersion("").name == nil)
    }

    @Test(
        "a time is converted to seconds",
        arguments: [
            ("1970-01-01 00:00:00", 0), ("2026-10-20 23:00:00.1234 +0000", 1_792_537_200),
            ("2026-10-21 00:30:00.1 +0130", 1_792_537_200),
            ("2026-10-20 15:00:00 -0800", 1_792_537_200), ("2000-02-29T12:00:00Z", 951_825_600),
            ("yesterday", nil), ("2026-13-01 00:00:00", nil), ("1969-12-31 23:59:59", nil),
        ] as [(String, UInt64?)])
    func time(text: String, seconds: UInt64?) {
        #expect(ReportTimestamp(text: text)?.seconds == seconds)
    }

    @Test("only threads have a number, and other stacks follow them")
    func otherStacks() throws {
        let stacks = [
            CallStack(index: 0, isAttributed: false, frames: 0..<0, role: .lastException),
            CallStack(index: 0, isAttributed: true, frames: 0..<0),
            CallStack(index: 1, isAttributed: false, frames: 0..<0),
        ]
        let diagnostic = SymbolicatedDiagnostic(
            kind: .crash, details: DiagnosticDetails(), status: .raw, culprit: nil,
            fingerprint: "", form: .threads, stacks: stacks, frames: [], images: [], remarks: [])
        let document = JSONDocument(try SymbolicationReply.json(ofReport: diagnostic))
        let written = document.root?["stacktraces"]?.elements.map { $0["thread_id"]?.unsigned }
        #expect(written == [0, 1, nil])
    }

    @Test("a reply says that a stack exceeded a limit", arguments: [[], [Remark.depthLimit]])
    func remarks(remarks: [Remark]) throws {
        let diagnostic = SymbolicatedDiagnostic(
            kind: .crash, details: DiagnosticDetails(), status: .raw, culprit: nil,
            fingerprint: "", form: .threads, stacks: [], frames: [], images: [], remarks: remarks)
        let document = JSONDocument(try SymbolicationReply.json(ofReport: diagnostic))
        let written = document.root?["remarks"]?.elements.map { $0.string }
        #expect(written ?? [] == remarks.map(\.rawValue))
    }
}
