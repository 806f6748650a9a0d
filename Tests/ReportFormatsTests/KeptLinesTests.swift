import CallStacks
import LogExtraction
import ReportFormats
import Testing

/// Lines of reports that earlier versions lost.
@Suite("Lines without a property of their own")
struct KeptLinesTests {
    private func details(_ text: String) throws -> DiagnosticDetails {
        let report = CrashFileReader().read(Array(text.utf8)).reports.first
        return try #require(report).resolved().details
    }

    private func lines(_ details: DiagnosticDetails) -> [String] {
        details.sections.flatMap(\.lines)
    }

    @Test("the header of a spindump, once for the dump and once for each process")
    func spindump() throws {
        let details = try details(
            """
            Sleep Wake failure in EFI

            Date/Time:        2026-11-20 08:00:00.000 +0000
            Data Source:      Stackshots
            Path:             /Applications/Orchard.app/Contents/MacOS/Orchard
            Command:          Orchard
            Event:            hang
            Parent Process:   launchd [1]

            Process:          Orchard [431]
            Num samples:      30 (1-30)

              Thread 0x4d2    DispatchQueue "com.apple.main-thread"(1)    30 samples (1-30)
              30  start + 6076 (dyld + 15028) [0x18b0ef154]

            """)
        #expect(
            lines(details) == [
                "Sleep Wake failure in EFI", "Data Source: Stackshots", "Num samples: 30 (1-30)",
            ])
        #expect(details.fields[.path] == "/Applications/Orchard.app/Contents/MacOS/Orchard")
        #expect(details.fields[.parentProcess] == "launchd [1]")
        #expect(details.fields[.process] == "Orchard [431]")
    }

    @Test("the header of a call graph")
    func sample() throws {
        let details = try details(
            """
            Analysis of sampling Orchard (pid 431) every 1 millisecond
            Process:         Orchard [431]
            Code Type:       ARM64
            Physical footprint:         8626K

            Call graph:
                9 Thread_17
                + 9 start  (in dyld) + 6076  [0x18b0ef154]

            """)
        #expect(lines(details) == ["Physical footprint: 8626K"])
        #expect(details.fields[.codeType] == "ARM64")
    }

    @Test("words in parentheses after an exception that are not its signal")
    func exceptionNote() throws {
        let details = try details(
            """
            Process:               Orchard [431]
            Exception Type:        EXC_BAD_ACCESS (Code Signature Invalid)

            Thread 0 Crashed:
            0   Orchard                       	0x0000000104a30210 0x104a2c000 + 16912

            """)
        #expect(details.exceptionSubtype == "Code Signature Invalid")
        #expect(details.signal == nil)
    }

    private func tombstone(_ prefix: String = "", signal: String) -> String {
        """
        Build fingerprint: 'example/device:16/ABCD.000000.001/1:user/release-keys'
        pid: 431, tid: 431, name: main  >>> com.example.orchard <<<
        \(signal)
        Cause: null pointer dereference
            rax 0000000000000002  rbx 0000000000000000

        1 total frames
        backtrace:
              #00 pc 0000000000001330  /data/app/com.example.orchard/engine
        """.split(separator: "\n", omittingEmptySubsequences: false)
            .map { prefix + $0 + "\n" }.joined()
    }

    @Test(
        "the code and the address of a signal, unless a process sent it",
        arguments: [
            ("signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x10", "SEGV_MAPERR at 0x10"),
            ("signal 4 (SIGILL), code 2 (ILL_ILLOPN), fault addr --------", "ILL_ILLOPN"),
            ("signal 6 (SIGABRT), code -6 (SI_TKILL), fault addr --------", nil),
        ])
    func signal(line: String, subtype: String?) throws {
        #expect(try details(tombstone(signal: line)).exceptionSubtype == subtype)
    }

    @Test(
        "registers and cause of a tombstone, also in a log, but not the log's other lines",
        arguments: ["", "11-20 08:00:00.123   431   431 F DEBUG   : "])
    func tombstone(prefix: String) throws {
        let text = tombstone(prefix, signal: "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR)")
        let other = prefix.isEmpty ? "" : "11-20 08:00:00.124   431   431 I Orchard : ready\n"
        let details = try details(other + text)
        #expect(details.applicationMessages == ["null pointer dereference"])
        #expect(
            lines(details) == [
                "Build fingerprint: 'example/device:16/ABCD.000000.001/1:user/release-keys'",
                "rax 0000000000000002  rbx 0000000000000000",
            ])
    }
}
