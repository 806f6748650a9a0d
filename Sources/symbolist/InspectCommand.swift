import ArgumentParser
import DebugFiles
import Foundation
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

    @Argument(
        help: ArgumentHelp("dSYMs, debug files, archives, or folders of them.", valueName: "path"))
    var paths: [String]

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Read debug information both ways, and list every difference.")
    var check = false

    func run() throws {
        let cache = IndexFolder(environment: ProcessInfo.processInfo.environment)
        let inspection = DebugFileInspection(paths: paths, unpackingIn: cache?.archives)
        for problem in inspection.problems { Console.problem(problem.error) }
        if check {
            let check = InspectionCheck(inspection.slices)
            Console.result(check.text)
            if check.hasDifferences { throw Outcome.someFailed }
        } else if json {
            Console.result(InspectionJSON(inspection.slices).text + "\n")
        } else {
            Console.result(InspectionText(inspection.slices).text)
        }
        if inspection.problems.contains(where: \.isNamedByCaller) { throw Outcome.someFailed }
        if inspection.slices.isEmpty { throw Outcome.nothingFound }
    }
}
