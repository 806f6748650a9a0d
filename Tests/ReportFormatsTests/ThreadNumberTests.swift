import CallStacks
import LogExtraction
import ReportFormats
import Testing

@Suite("Thread numbers")
struct ThreadNumberTests {
    private func stacks(_ text: String) -> [CallStack] {
        CrashFileReader().read(Array(text.utf8)).reports.first?.resolved().tree.stacks ?? []
    }

    @Test("threads keep the report's numbers, whatever is before and between them")
    func text() {
        let stacks = stacks(
            """
            Incident Identifier: 1
            Last Exception Backtrace:
            0   CoreFoundation    0x1a000010 0x1a000000 + 16

            Thread 5:
            0   Orchard    0x10000040 0x10000000 + 64

            Thread 7 Crashed:
            0   Orchard    0x10000080 0x10000000 + 128
            """)
        #expect(stacks.map(\.index) == [0, 5, 7])
        #expect(stacks.map(\.role) == [.lastException, .thread, .thread])
        #expect(stacks.map(\.isAttributed) == [false, false, true])
    }

    @Test("threads of KSCrash keep the report's numbers")
    func ksCrash() {
        let frame = #"{"instruction_addr": 64}"#
        let thread =
            #"{"index": 7, "crashed": true, "backtrace": {"contents": [\#(frame)]}}"#
        let stacks = stacks(
            #"{"report": {}, "binary_images": [], "crash": {"error": {}, "threads": [\#(thread)]}}"#
        )
        #expect(stacks.map(\.index) == [7])
    }
}
