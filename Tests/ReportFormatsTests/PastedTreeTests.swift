import CallStacks
import LogExtraction
import ReportFormats
import Testing

/// Call trees in a code block or a quote of Markdown, in whole or in part.
@Suite("Pasted call trees")
struct PastedTreeTests {
    enum Tree: CaseIterable, Sendable {
        case spindump, sample
        /// The text from the heading of the first thread on.
        case spindumpThread, sampleThread

        func text() throws -> String {
            switch self {
            case .spindump: try HungOrchard.spindump()
            case .sample: try HungOrchard.sample()
            case .spindumpThread: try end(of: HungOrchard.spindump(), from: "  Thread 0x")
            case .sampleThread: try end(of: HungOrchard.sample(), from: "    95 Thread_")
            }
        }

        private func end(of text: String, from mark: String) throws -> String {
            let start = try #require(text.firstRange(of: mark)).lowerBound
            return String(text[start...])
        }
    }

    private static let prefixes = ["  ", "   ", "      ", "\t", "> ", ">   ", "> > "]

    private func pasted(_ text: String, after prefix: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let marked = lines.map { $0.isEmpty ? "" : prefix + $0 }
        return "It hangs:\n\n" + marked.joined(separator: "\n") + "\nWhat is it?\n"
    }

    @Test(
        "are read as if they were not, and written with their prefixes", arguments: Tree.allCases,
        prefixes)
    func same(tree: Tree, prefix: String) async throws {
        let text = try tree.text()
        let plain = await SymbolicatedFile(text)
        try #require(plain.text != text)
        let found = await SymbolicatedFile(pasted(text, after: prefix))
        #expect(found.frames == plain.frames)
        #expect(found.file.reports.map(\.format) == plain.file.reports.map(\.format))
        #expect(
            found.file.reports.first?.resolved().tree.stacks.map(\.name)
                == plain.file.reports.first?.resolved().tree.stacks.map(\.name))
        #expect(found.text == pasted(plain.text, after: prefix))
    }

    @Test("one thread of several after a prefix has its own stack")
    func threads() throws {
        let text = """
                  Thread 0x1    9 samples
                  9  ??? (Orchard + 18036) [0x104a30674] 1
                  Thread 0x2    Thread name "press"    4 samples
                  4  ??? (Orchard + 16912) [0x104a30210] 1
            """
        let file = CrashFileReader().read(Array(text.utf8))
        let tree = try #require(file.reports.first).resolved().tree
        #expect(tree.stacks.map(\.name) == [nil, "press"])
    }
}
