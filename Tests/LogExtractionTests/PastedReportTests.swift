import CallStacks
import LogExtraction
import ReportFixtures
import ReportFormats
import Testing

@Suite("Pasted reports")
struct PastedReportTests {
    private static let report = """
        Incident Identifier: 7C2F6A1E-0B7D-4E0A-9E57-3D1B6C5A9F10
        Process:             Orchard [4711]
        Exception Type:  EXC_BREAKPOINT (SIGTRAP)
        Triggered by Thread:  1

        Thread 0:
        0   Orchard   0x0000000000001010 0x1000 + 16

        Thread 1 Crashed:
        0   Orchard   0x0000000000001020 0x1000 + 32
        1   Orchard   0x0000000000001030 0x1000 + 48

        Binary Images:
            0x1000 -     0x2fff Orchard arm64  <4c4c448155553144a199bfceae3fe729> /a/Orchard
        """
    private let id = ImageID("4c4c448155553144a199bfceae3fe729")!

    private func marked(_ mark: String, end: String = "\n") -> String {
        let lines = Self.report.split(separator: "\n", omittingEmptySubsequences: false)
        let text = lines.map { ($0.isEmpty ? String(mark.prefix { $0 != " " }) : mark + $0) + end }
        return "It broke again:" + end + end + text.joined() + end + "What is it?" + end
    }

    @Test(
        "a quoted or indented report is read as if it were not",
        arguments: ["> ", "    ", "> > ", "\t"])
    func marks(mark: String) throws {
        let file = CrashFileReader().read(bytes(marked(mark)))
        let diagnostic = try #require(file.diagnostics.first)
        #expect(file.reports.map(\.format) == [.crashText])
        #expect(diagnostic.tree.stacks.map(\.index) == [0, 1])
        #expect(diagnostic.tree.stacks.map(\.isAttributed) == [false, true])
        #expect(diagnostic.tree.frames.map(\.image) == [id, id, id])
        #expect(diagnostic.details.processName == "Orchard")
    }

    @Test("a quoted report is rewritten with its quote prefix", arguments: ["\n", "\r\n"])
    func written(end: String) throws {
        let text = marked("> ", end: end)
        let report = try #require(CrashFileReader().read(bytes(text)).reports.first)
        let result = report.resolved().symbolicated([
            1: [
                FoundFunction(name: "press", line: 3, isInlined: true),
                FoundFunction(name: "turn", line: 9),
            ]
        ])
        let written = String(
            decoding: report.edits(with: result).applied(to: bytes(text)), as: UTF8.self)
        let old = "> 0   Orchard   0x0000000000001020 0x1000 + 32" + end + "> 1   Orchard"
        let new =
            "> 0   Orchard   0x0000000000001020 press (Orchard.swift:3) [inlined]" + end
            + "> 1   Orchard   0x0000000000001020 turn (Orchard.swift:9)" + end + "> 2   Orchard"
        #expect(text.contains(old))
        #expect(written == text.replacingFirst(old, by: new))
    }

    @Test("a quoted report that is truncated says so")
    func truncated() throws {
        let last = try #require(Self.report.firstRange(of: "1   Orchard"))
        let plain = String(Self.report[..<last.upperBound]) + "   0x00"
        let quoted = plain.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "> " + $0 }.joined(separator: "\n")
        for text in [plain, quoted] {
            let diagnostic = try #require(CrashFileReader().read(bytes(text)).diagnostics.first)
            #expect(diagnostic.remarks.contains(.textTruncated))
        }
    }

    @Test("both halves of a quoted translation are rewritten")
    func quotedRepetition() throws {
        let json = """
            {"bug_type":"309","name":"Orchard"}
            {"threads":[{"frames":[{"imageIndex":0,"imageOffset":16}]}],"usedImages":[{"base":1}]}
            """
        let whole = Self.report + "\n\n-----------\nFull Report\n-----------\n\n" + json
        let text = whole.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "> " + $0 }.joined(separator: "\n")
        let report = try #require(CrashFileReader().read(bytes(text)).reports.first)
        let repetition = try #require(report.repetitions.first)
        let result = repetition.resolved().symbolicated([0: [FoundFunction(name: "press")]])
        let edits = repetition.edits(with: result)
        #expect(!edits.isEmpty)
        let written = String(decoding: edits.applied(to: bytes(text)), as: UTF8.self)
        let start = try #require(text.firstRange(of: "> {\"threads\"")).lowerBound
        #expect(written.hasPrefix(text[..<start]))
        #expect(written.contains("press"))
    }

    @Test("a quoted JSON report is read")
    func quotedJSON() throws {
        let text = """
            > {"bug_type":"309","name":"Orchard"}
            > {"threads":[{"triggered":true,"frames":[{"imageIndex":0,"imageOffset":16}]}],
            > "usedImages":[{"base":4096,"size":8192,"uuid":"4c4c4481-5555-3144-a199-bfceae3fe729"}]}
            """
        let file = CrashFileReader().read(bytes(text))
        #expect(file.reports.map(\.format) == [.ips])
        #expect(file.diagnostics.first?.tree.frames.map(\.image) == [id])
    }

    @Test("quoted frame lines are read")
    func quotedFrames() {
        let file = CrashFileReader().read(bytes("> 0   Orchard   0x0000000000001020 press + 32\n"))
        #expect(file.reports.map(\.format) == [.standaloneFrames])
    }

    @Test("the message of a fenced report excludes the fence")
    func fence() throws {
        let text = """
            ```
            Process:             Orchard [4711]
            Exception Type:  EXC_CRASH (SIGABRT)
            Application Specific Information:
            the press is jammed
            ```
            Who jammed it?
            """
        let diagnostic = try #require(CrashFileReader().read(bytes(text)).diagnostics.first)
        #expect(diagnostic.details.applicationMessages == ["the press is jammed"])
    }

    @Test("a translation followed by the full report in JSON is one report")
    func fullReport() throws {
        let json = """
            {"bug_type":"309","name":"Orchard"}
            {"threads":[{"frames":[{"imageIndex":0,"imageOffset":16}]}],"usedImages":[{"base":1}]}

            Model: Tree7,1, BootROM 1.2, 4 processors
            """
        let translated = Self.report + "\n\n-----------\nFull Report\n-----------\n\n" + json
        let file = CrashFileReader().read(bytes(translated))
        #expect(file.reports.map(\.format) == [.crashText])
        #expect(file.diagnostics.first?.details.deviceType == nil)
        // In the file in its own format, both have functions.
        #expect(file.reports.first?.repetitions.map(\.format) == [.ips])
        // Without the announcement it is another report.
        let both = CrashFileReader().read(bytes(Self.report + "\n\n" + json))
        #expect(both.reports.map(\.format) == [.crashText, .ips])
    }

    @Test("console output begins with the message of the uncaught exception")
    func console() throws {
        let text = """
            10:11:12 Orchard[47:11] *** Terminating app due to uncaught exception 'Rotten', reason: 'it's brown'
            *** First throw call stack:
            (
            \t0   CoreFoundation    0x00000001804b910c __exceptionPreprocess + 172
            \t1   Orchard           0x0000000000001020 press + 16
            )
            """
        let diagnostic = try #require(CrashFileReader().read(bytes(text)).diagnostics.first)
        #expect(diagnostic.kind == .crash)
        #expect(diagnostic.details.objectiveCExceptionName == "Rotten")
        #expect(diagnostic.details.objectiveCExceptionMessage == "it's brown")
        #expect(
            diagnostic.details.applicationMessages == [
                "Terminating app due to uncaught exception 'Rotten', reason: 'it's brown'"
            ])
        #expect(diagnostic.tree.frames.count == 2)
    }
}

extension String {
    fileprivate func replacingFirst(_ old: String, by new: String) -> String {
        guard let range = firstRange(of: old) else { return self }
        return String(self[..<range.lowerBound]) + new + String(self[range.upperBound...])
    }
}
