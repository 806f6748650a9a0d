import ArgumentParser
import DebugFiles
import Foundation
import JSONText
import StackRendering
import SymbolStores

/// `symbolist inspect`: what debug files hold, and what of it will not symbolicate; what reports
/// want, and why it is not there.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what debug files and crash files hold.",
        discussion: """
            Tells of each slice its UUID, architecture, kind and DWARF versions, what it will give, \
            and warns of what will not symbolicate; of each report what it is, and its images with \
            their frames. Given both, it tells which images the files serve, and why not the \
            others. Given reports alone, it looks for their images where --symbols says.

            Examples:
              symbolist inspect Orchard.app.dSYM
              symbolist inspect crash.json dSYMs
            """)

    @Argument(
        help: ArgumentHelp(
            """
            dSYMs, debug files, archives, folders of them, and crash or hang reports; '-' reads a \
            report from standard input.
            """, valueName: "path"), completion: .file())
    var paths: [String]

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "A crash or hang report; '-' reads standard input.", valueName: "report"),
        completion: .file())
    var report: String?

    @OptionGroup var symbols: SymbolOptions

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "List every frame of reports, with what will be looked up for it.")
    var frames = false

    @Flag(help: "Print a line for each slice, as 'dwarfdump --uuid' does.")
    var uuid = false

    @Flag(help: "Read debug information both ways, and list every difference.")
    var check = false

    func validate() throws {
        if uuid, json || check || report != nil {
            throw ValidationError("--uuid goes with none of --json, --check and --for")
        }
    }

    func run() async throws {
        let cache = IndexFolder(environment: ProcessInfo.processInfo.environment)
        var reports = InspectedReports()
        if let report { await reports.read(report) }
        var files: [String] = []
        for path in paths {
            if path == "-" || !DebugFileInspection.takes(path) {
                await reports.read(path)
            } else if DebugFileInspection.holdsNone(path, unpackingIn: cache?.archives) {
                if await !reports.readAny(in: path) { files.append(path) }
            } else {
                files.append(path)
            }
        }
        if uuid || check, let report = reports.all.first {
            throw ValidationError(
                "--uuid and --check are for debug files, and '\(report.name)' is a report")
        }
        if !files.isEmpty, !symbols.paths.isEmpty {
            throw ValidationError(
                "--symbols is for reports alone, and '\(files[0])' is to be inspected itself")
        }
        let inspection = DebugFileInspection(paths: files, unpackingIn: cache?.archives)
        for problem in inspection.problems { Console.problem(problem.error) }
        for line in reports.problems { Console.problem(line) }
        let isComplete = try match(&reports, with: files.isEmpty ? nil : inspection)
        try show(inspection, reports.all)
        let isEmpty = inspection.slices.isEmpty && reports.all.isEmpty
        let isFailed = inspection.problems.contains(where: \.isNamedByCaller) || reports.isDamaged
        if isFailed || !isComplete || (reports.isPartlyEmpty && !isEmpty) {
            throw Outcome.someFailed
        }
        if isEmpty { throw Outcome.nothingFound }
    }

    /// Compares images of reports with what was inspected, or else with the symbols of this machine.
    ///
    /// - Returns: Whether every path of symbols that the caller named could be used.
    private func match(
        _ reports: inout InspectedReports, with inspection: DebugFileInspection?
    ) throws -> Bool {
        if reports.all.isEmpty { return true }
        if let inspection {
            for index in reports.all.indices { reports.all[index].match(inspection.slices) }
            return true
        }
        let access = try symbols.open()
        let otherBuilds = OtherBuilds(among: access.symbols)
        for index in reports.all.indices where access.isGiven {
            reports.all[index].match(access.symbols, otherBuilds)
        }
        return access.isComplete
    }

    private func show(_ inspection: DebugFileInspection, _ reports: [InspectedReport]) throws {
        let slices = inspection.slices
        if check {
            let check = InspectionCheck(slices)
            Console.result(check.text)
            if check.hasDifferences { throw Outcome.someFailed }
        } else if uuid {
            Console.result(UUIDLines(slices).text)
        } else if json {
            let text = InspectionJSON(slices, reports: reports, showsFrames: frames).text
            Console.result(text + "\n")
        } else {
            let parts =
                [InspectionText(slices).text, SliceSum(slices).text ?? ""]
                + reports.map { InspectedReportText($0, showsFrames: frames).text }
            Console.result(parts.filter { !$0.isEmpty }.joined(separator: "\n"))
        }
    }
}
