import CallStacks
import LogExtraction
import ReportFormats
import StackRendering
import Symbolication
import Testing

/// The details of a report other than its stacks are in every output format that can express them.
@Suite("Details of a report")
struct ReportDetailsTests {
    private static let text = """
        Incident Identifier: 6156848E-0000-0000-0000-000000000000
        Hardware Model:      iPhone15,2
        Process:             Shop [4711]
        OS Version:          iPhone OS 18.1 (22B83)
        Novel Field:         of a system to come

        Exception Type:  EXC_CRASH (SIGKILL)
        Exception Codes: 0x0000000000000000, 0x0000000000000000
        Exception Message: (Limit 50%) Observed 60% over 180 secs
        Exception Note:  NON-FATAL CONDITION (this is NOT a crash)
        VM Region Info: 0x8 is not in any region.  Bytes before following region: 4333731832
              REGION TYPE                 START - END      [ VSIZE] PRT/MAX SHRMOD
        --->
              __TEXT                   1024f8000-102500000 [   32K] r-x/r-x SM=COW
        Termination Reason: FRONTBOARD 2343432205
        Termination Description: SPRINGBOARD, scene-update watchdog transgression: exhausted 10.00 seconds
        ProcessVisibility: Background
        4.230 seconds of processor time
        Triggered by Thread:  0

        Thread 0 Crashed:
        0   Shop                          \t0x0000000104a2fb34 0x104a2c000 + 15156

        Thread 0 crashed with ARM Thread State (64-bit):
            x0: 0x000000000000002a   x1: 0x0000600001d291b0   x2: 0x0000000000000000   x3: 0x00000000000000ff
           far: 0x0000000000000008  esr: 0x92000046 (Data Abort) byte write Translation fault

        Binary Images:
        0x104a2c000 - 0x104a2ffff Shop arm64  <cf441af5bb7e35678d44451d69214d92> /private/Shop

        VM Region Summary:
        ReadOnly portion of Libraries: Total=1.0G resident=0K(0%)
        Writable regions: Total=541.4M written=0K(0%)

        System Profile:
        Network Service: Wi-Fi, AirPort, en0

        EOF

        """

    @Test(
        "version and build are apart, in either order",
        arguments: [
            ("1.4.0 (217)", "1.4.0", "217"), ("1.4.0 (1.4.0)", "1.4.0", "1.4.0"),
            ("217 (1.4.0)", "1.4.0", "217"), ("12 (34)", "12", "34"), ("1.4.0", "1.4.0", nil),
            ("18.1 (20619.2.8.11.10)", "18.1", "20619.2.8.11.10"), ("??? (???)", "???", "???"),
            ("(217)", "(217)", nil), ("1.4.0 ()", "1.4.0 ()", nil),
        ])
    func version(text: String, version: String, build: String?) throws {
        let row = "Process:             Shop [4711]\n"
        let details = try details(
            Self.text.replacing(row, with: row + "Version:             \(text)\n"))
        #expect(details.appVersion == version)
        #expect(details.appBuild == build)
    }

    private func details(_ text: String) throws -> DiagnosticDetails {
        try #require(CrashFileReader().read(Array(text.utf8)).reports.first).resolved().details
    }

    @Test("registers, regions, the termination and everything below the images are read")
    func reading() throws {
        let details = try details(Self.text)
        #expect(details.registers?.kind == "ARM Thread State (64-bit)")
        #expect(
            details.registers?.values.map(\.name) == ["x0", "x1", "x2", "x3", "far", "esr"])
        #expect(details.registers?.values.last?.value == 0x9200_0046)
        #expect(details.registers?.meaning == "(Data Abort) byte write Translation fault")
        #expect(details.virtualMemoryRegion?.split(separator: "\n").count == 4)
        #expect(details.terminationReason == "FRONTBOARD 2343432205")
        let description = try #require(details.fields[.terminationDescription])
        #expect(description.hasPrefix("SPRINGBOARD, scene-update watchdog"))
        #expect(description.hasSuffix("\n4.230 seconds of processor time"))
        #expect(
            details.sections.map { $0.lines.first ?? "" } == [
                "Novel Field:         of a system to come", "VM Region Summary:",
                "System Profile:",
            ])
        #expect(details.sections.map(\.lines.count) == [1, 3, 2])
    }

    private func forms(_ text: String) async throws -> (text: String, json: String, crash: String) {
        let diagnostic = try #require(CrashFileReader().read(Array(text.utf8)).reports.first)
            .resolved()
        let result = Symbolicator(provider: NoSymbols()).symbolicate(diagnostic, with: .init())
        return (
            StackText().report(of: result), StackJSON(hasDetails: true).text(of: result),
            try AppleCrashText(of: result).text
        )
    }

    @Test("crash text keeps all details, which read the same again")
    func crashText() async throws {
        let crash = try await forms(Self.text).crash
        for line in [
            "Exception Message:", "Exception Note:", "__TEXT", "SPRINGBOARD", "ProcessVisibility",
            "4.230 seconds", "x1: 0x0000600001d291b0", "byte write Translation fault",
            "VM Region Summary:", "Writable regions", "System Profile:", "Network Service",
            "Novel Field",
        ] { #expect(crash.contains(line), "\(line)") }
        #expect(crash.hasSuffix("EOF\n"))
        let again = try details(crash)
        #expect(again.registers == (try details(Self.text)).registers)
        #expect(again.virtualMemoryRegion == (try details(Self.text)).virtualMemoryRegion)
        #expect(again.sections.count == 3)
        #expect(try await forms(crash).crash == crash)
    }

    @Test("text and JSON state the termination reason and the memory involved")
    func otherForms() async throws {
        let (text, json, _) = try await forms(Self.text)
        for words in ["SPRINGBOARD", "ProcessVisibility: Background", "is not in any region"] {
            #expect(text.contains(words))
            #expect(json.contains(words))
        }
        #expect(text.contains("(Limit 50%) Observed 60% over 180 secs"))
        #expect(json.contains("\"message\":\"(Limit 50%) Observed 60% over 180 secs\""))
        #expect(json.contains("{\"name\":\"x0\",\"value\":\"0x2a\"}"))
        #expect(json.contains("Network Service"))
    }

    @Test("Symbolist adds no explanation if a report explains its termination")
    func ownWords() async throws {
        let text = Self.text.replacing(
            "Exception Message: (Limit 50%) Observed 60% over 180 secs\n", with: "")
        #expect(try await !forms(text).text.contains("Message:"))
    }

    @Test("the message, description and memory summary of an .ips report are read")
    func ips() throws {
        let text = """
            {"bug_type":"309","os_version":"iPhone OS 18.1 (22B83)","name":"Shop"}
            {"procName":"Shop","exception":{"type":"EXC_RESOURCE","subtype":"CPU","message":"(Limit 50%) Observed 60% over 180 secs"},
             "termination":{"namespace":"FRONTBOARD","code":2343432205,"reasons":["scene-update watchdog"]},
             "isNonFatal":1,"vmSummary":"ReadOnly portion\\nWritable regions","usedImages":[],"threads":[]}
            """
        let details = try details(text)
        #expect(details.fields[.exceptionMessage] == "(Limit 50%) Observed 60% over 180 secs")
        #expect(details.exceptionSubtype == "CPU")
        #expect(details.fields[.terminationDescription] == "scene-update watchdog")
        #expect(details.fields[.exceptionNote] == "NON-FATAL CONDITION (this is NOT a crash)")
        #expect(
            details.sections.map(\.lines) == [
                ["VM Region Summary:", "ReadOnly portion", "Writable regions"]
            ])
    }

    @Test("only the start of an endless field is kept, and the text after it is a section")
    func endlessField() throws {
        let lines = String(repeating: "__TEXT 1024f8000-102500000 r-x/r-x\n", count: 1_000)
        let text = Self.text.replacing("Termination Reason:", with: lines + "Termination Reason:")
        let details = try details(text)
        let region = try #require(details.virtualMemoryRegion)
        #expect((8 << 10..<9 << 10).contains(region.utf8.count))
        #expect(details.sections.contains { $0.lines.count > 500 })
        #expect(details.terminationReason == "FRONTBOARD 2343432205")
    }

    @Test("only the start of a tail beyond the limit is kept, with a remark")
    func limit() throws {
        let count = ReportSection.linesLimit + 1
        let tail = (0..<count).map { "line \($0) of the profile\n" }.joined()
        let text = Self.text.replacing("EOF\n", with: tail)
        let report = try #require(CrashFileReader().read(Array(text.utf8)).reports.first).resolved()
        #expect(report.details.sections.flatMap(\.lines).count == ReportSection.linesLimit)
        #expect(report.remarks.contains(.sizeLimit))
    }
}

struct NoSymbols: SymbolProvider {
    func symbols(for image: ImageID) async -> SymbolSupply { .missing }
}
