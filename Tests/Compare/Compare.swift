import ArgumentParser
import CallStacks
import DebugFiles
import PeerComparison
import SymbolStores

/// The program of `Scripts/compare`: compares our results with those of `llvm-symbolizer`, for
/// debug files that are too large to keep as fixtures.
@main
struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare answers with those of llvm-symbolizer.",
        discussion: """
            Prints a table with a row for each slice: how many places agree, and in which of the \
            legitimate ways others differ. Fails if more than one place in a thousand differs \
            without a legitimate reason.
            """)

    @Argument(help: ArgumentHelp("dSYMs, debug files, or folders of them.", valueName: "file"))
    var files: [String]

    @Option(help: "How many random places are compared.")
    var random = 5_000

    @Option(help: "How many starts and ends of functions are compared at most.")
    var edges = 20_000

    @Option(help: "Another seed chooses other places.")
    var seed: UInt64 = 1

    @Option(help: "How many examples of each difference are printed.")
    var examples = 3

    func run() throws {
        let inspection = DebugFileInspection(paths: files)
        var table = ComparisonTable(examplesLimit: examples)
        for slice in inspection.slices {
            let opened = try OpenedDebugFile(
                path: slice.path, architecture: slice.file.architecture.name)
            let comparison = try PeerComparison(
                of: opened, sample: .random(count: random, edges: edges, seed: seed),
                examplesLimit: examples)
            table.add(comparison, of: slice)
        }
        print(table.text)
        let isComplete = inspection.problems.isEmpty && !inspection.slices.isEmpty
        for problem in inspection.problems { print(problem.error) }
        if !isComplete || table.hasFailed { throw ExitCode(1) }
    }
}
