import ArgumentParser
import DebugFiles
import Foundation
import JSONText
import StackRendering
import SymbolStores

/// `symbolist inspect`: shows the contents of debug files and reports, and warns about code that
/// cannot be symbolicated.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the contents of debug files and crash reports.",
        discussion: """
            Shows the UUID, architecture, kind and DWARF versions of each slice, the information in \
            it, and warnings about code that cannot be symbolicated; and the format and images of \
            each report. With both, shows which images of the reports the files match, and why \
            others do not match. With reports alone, searches --symbols for their images.

            Examples:
              symbolist inspect Orchard.app.dSYM
              symbolist inspect crash.json dSYMs
            """)

    @Argument(
        help: ArgumentHelp(
            """
            dSYMs, debug files, shared caches, archives or folders of them, and crash or hang \
            reports; '-' reads a report from standard input.
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

    @Flag(help: "List every frame of a report with the offset to look up.")
    var frames = false

    @Flag(help: "Print one line per slice, like 'dwarfdump --uuid'.")
    var uuid = false

    @Flag(help: "Read debug information with both readers and list every difference.")
    var check = false

    func validate() throws {
        if uuid, json || check || report != nil {
            throw ValidationError("--uuid cannot be combined with --json, --check or --for")
        }
        if check, json { throw ValidationError("--check cannot be combined with --json") }
    }

    func run() async throws {
        let cache = IndexFolder(environment: ProcessInfo.processInfo.environment)
        var reports = InspectedReports()
        if let report { await reports.read(report) }
        let files = await debugFiles(addingOthersTo: &reports, unpackingIn: cache?.archives)
        if uuid || check, let report = reports.all.first {
            throw ValidationError(
                "--uuid and --check need debug files, but '\(report.name)' is a report")
        }
        if !files.isEmpty, !symbols.paths.isEmpty {
            throw ValidationError(
                "--symbols needs a report to inspect, but '\(files[0])' is a debug file")
        }
        let inspection = DebugFileInspection(paths: files, unpackingIn: cache?.archives)
        for problem in inspection.problems { Console.problem(problem.error) }
        for line in reports.problems { Console.problem(line) }
        let isComplete = try match(&reports, with: files.isEmpty ? nil : inspection)
        try show(inspection, reports: reports.all)
        let isEmpty =
            inspection.slices.isEmpty && inspection.caches.isEmpty && reports.all.isEmpty
        let isFailed = inspection.problems.contains(where: \.isExplicit) || reports.isDamaged
        if isFailed || !isComplete || (reports.isPartlyEmpty && !isEmpty) {
            throw Outcome.someFailed
        }
        if isEmpty { throw Outcome.nothingFound }
    }

    /// Returns the paths with debug files, and reads the others as reports.
    private func debugFiles(
        addingOthersTo reports: inout InspectedReports, unpackingIn archives: ArchiveFolder?
    ) async -> [String] {
        var files: [String] = []
        for path in paths {
            if path == "-" || !DebugFileInspection.takes(path) {
                await reports.read(path)
            } else if DebugFileInspection.findsNone(in: path, unpackingIn: archives) {
                if await !reports.readAny(in: path) { files.append(path) }
            } else {
                files.append(path)
            }
        }
        return files
    }

    /// Compares images of reports with the inspected files, or with `--symbols` if there are none.
    ///
    /// - Returns: Whether every path of `--symbols` could be used.
    private func match(
        _ reports: inout InspectedReports, with inspection: DebugFileInspection?
    ) throws -> Bool {
        if reports.all.isEmpty { return true }
        if let inspection {
            for index in reports.all.indices {
                reports.all[index].match(inspection.slices, caches: inspection.caches)
            }
            return true
        }
        let access = try symbols.open()
        let otherBuilds = OtherBuildFinder(among: access.symbols)
        for index in reports.all.indices where access.isGiven {
            reports.all[index].match(access.symbols, otherBuilds: otherBuilds)
        }
        return access.isComplete
    }

    private func show(_ inspection: DebugFileInspection, reports: [InspectedReport]) throws {
        let slices = inspection.slices
        if check {
            let check = InspectionCheck(slices)
            Console.result(check.text)
            if check.hasDifferences { throw Outcome.someFailed }
        } else if uuid {
            Console.result(UUIDLines(slices).text + CacheText.uuidLines(inspection.caches))
        } else if json {
            let text = InspectionJSON(
                slices, caches: inspection.caches, reports: reports, showsFrames: frames
            ).text
            Console.result(text + "\n")
        } else {
            let parts =
                [
                    InspectionText(slices).text, SliceSummary(slices).text ?? "",
                    CacheText(inspection.caches).text,
                ]
                + reports.map { InspectedReportText($0, showsFrames: frames).text }
            Console.result(parts.filter { !$0.isEmpty }.joined(separator: "\n"))
        }
    }
}
