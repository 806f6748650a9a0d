import ArgumentParser
import DebugFiles
import JSONText
import StackRendering
import SymbolStores

/// `symbolist inspect`: what debug files hold, and what of it will not symbolicate.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what debug files hold.",
        discussion: """
            Tells each slice's UUID, architecture, kind and DWARF versions, whether it has \
            functions, lines, inlined calls and symbols, and warns of what will not symbolicate.

            Examples:
              symbolist inspect Orchard.app.dSYM
              symbolist inspect dSYMs --json > dSYMs.json
            """)

    @Argument(help: ArgumentHelp("dSYMs, debug files, or folders of them.", valueName: "path"))
    var paths: [String]

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let inspection = DebugFileInspection(paths: paths)
        for problem in inspection.problems { Console.problem(problem.error) }
        if json {
            Console.result(InspectionJSON(inspection.slices).text + "\n")
        } else {
            Console.result(InspectionText(inspection.slices).text)
        }
        if inspection.problems.contains(where: \.isNamedByCaller) { throw Outcome.someFailed }
        if inspection.slices.isEmpty { throw Outcome.nothingFound }
    }
}
