import CallStacks
import LogExtraction
import ReportFixtures
import ReportFormats
import Symbolication
import Testing

@Suite("Swift backtraces in the friendly preset")
struct FriendlyBacktraceTests {
    private let text = """
        *** Program crashed: Illegal instruction at 0x000055e484962029 ***

        Platform: x86_64 Linux (Debian GNU/Linux 12 (bookworm))

        Thread 0 "engine" crashed:

          0 [inlined] row(_:of:) in engine at /orchard/Sources/engine/main.swift:8:23

              6| @inline(__always)
              7| func row(_ index: Int, of orchard: Orchard) -> String {
          *   8|     return orchard.rows[index]
               |                        ^

          1 pick(_:) + 169 in engine at /orchard/Sources/engine/main.swift:13:16

             13|     12 apples in a basket

          2 0x00007fc5dc99de60 swift::runJobInEstablishedExecutorContext(swift::Job*) + 367 in libswift_Concurrency.so
        ...
        """

    private struct NoSymbols: SymbolProvider {
        func symbols(for image: ImageID) async -> SymbolSupply { .missing }
        func symbols(replacingDamagedIndexOf image: ImageID) async -> SymbolSupply { .missing }
    }

    @Test("named functions are kept, and the text stays unchanged")
    func frames() async throws {
        let bytes = Array(text.utf8)
        let report = try #require(CrashFileReader().read(bytes).reports.first)
        let result = await Symbolicator(provider: NoSymbols()).symbolicate(report.resolved())
        #expect(
            result.frames.map(\.function) == [
                "row(_:of:)", "pick(_:)",
                "swift::runJobInEstablishedExecutorContext(swift::Job*)",
            ])
        #expect(result.frames.map(\.line) == [8, 13, 0])
        #expect(result.frames.map(\.parent) == [nil, 0, 1])
        #expect(report.edits(with: result).applied(to: bytes) == bytes)
    }
}
