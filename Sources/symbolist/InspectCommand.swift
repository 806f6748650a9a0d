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
            functions, lines, inlined calls and symbols, and warns of what will not symbolicate. \
            With a report it tells which of its images the files serve, and why not the others.

            Examples:
              symbolist inspect Orchard.app.dSYM
              symbolist inspect --for crash.json dSYMs
            """)

    @Argument(
        help: ArgumentHelp("dSYMs, debug files, archives, or folders of them.", valueName: "path"))
    var paths: [String]

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "A crash or hang report; '-' reads standard input.", valueName: "report"))
    var report: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Print a line for each slice, as 'dwarfdump --uuid' does.")
    var uuid = false

    @Flag(help: "Read debug information both ways, and list every difference.")
    var check = false

    func validate() throws {
        if uuid, json || check || report != nil {
            throw ValidationError("--uuid goes with none of --json, --check and --for")
        }
    }

    func run() throws {
        let cache = IndexFolder(environment: ProcessInfo.processInfo.environment)
        let inspection = DebugFileInspection(paths: paths, unpackingIn: cache?.archives)
        for problem in inspection.problems { Console.problem(problem.error) }
        let images = try report.map { try ReportImages(of: InputBytes($0)) }
        let matches = images?.images.map { ImageMatch(of: $0, among: inspection.slices) }
        if check {
            let check = InspectionCheck(inspection.slices)
            Console.result(check.text)
            if check.hasDifferences { throw Outcome.someFailed }
        } else if uuid {
            Console.result(UUIDLines(inspection.slices).text)
        } else if json {
            Console.result(InspectionJSON(inspection.slices, matches: matches).text + "\n")
        } else {
            Console.result(InspectionText(inspection.slices).text)
            if let images, let matches {
                let separator = inspection.slices.isEmpty ? "" : "\n"
                Console.result(separator + MatchText(matches, of: images).text)
            }
        }
        if inspection.problems.contains(where: \.isNamedByCaller) { throw Outcome.someFailed }
        if inspection.slices.isEmpty || images?.images.isEmpty == true {
            throw Outcome.nothingFound
        }
    }
}
