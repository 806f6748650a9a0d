import ArgumentParser
import CallStacks
import FlameGraphs
import FoundationEssentials
import LogExtraction
import MetricKitPayloads
import ReportFormats
import ReportProcessing
import StackRendering
import SymbolStores
import Symbolication

/// `symbolist symbolicate`: symbolicates crash, hang and backtrace files.
struct SymbolicateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "symbolicate",
        abstract: "Symbolicate crash and hang reports.",
        discussion: """
            Reads \(CrashFormat.allDisplayNames), also compressed or in archives.

            JSON is an object for one report, an array for several. '--format same' writes each \
            file in its own format with names and lines in place of addresses, and copies other \
            text unchanged, so a log can be piped through.

            Examples:
              symbolist symbolicate crash.json --symbols dSYMs
              symbolist symbolicate - --format json < crash.json > result.json
            """)

    @Argument(
        help: ArgumentHelp(
            "Reports, or archives or folders of them; '-' or nothing reads standard input.",
            valueName: "file"),
        completion: .file())
    var files: [String] = []

    @OptionGroup var symbols: SymbolOptions

    @OptionGroup var servers: DebuginfodOptions

    @OptionGroup var remote: RemoteOptions

    @Option(
        help: """
            Format of the output; 'same' is that of the input.
            """)
    var format = OutputFormat.text

    @Option(
        name: .customLong("by"),
        help: "Merge sampled calls of the same caller by this key.")
    var grouping = FlameGraphBuilder.Grouping.function

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file to write, or a folder for several files.", valueName: "path"),
        completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Show source lines from this folder; may be repeated.", valueName: "folder"),
        completion: .directory)
    var sourceRoot: [String] = []

    @Option(help: "Style text; auto: on terminals without NO_COLOR.")
    var color = ColorChoice.auto

    @Flag(help: "Show full source paths, also with 'same'.")
    var fullPaths = false

    @Flag(
        help: "With 'same' of .ips, add path, column, linkage name.")
    var annotate = false

    @Option(
        help: ArgumentHelp(
            """
            Processes to read from a spindump or stackshot, or 'all'; may be repeated. Default: the \
            target process.
            """, valueName: "name|pid"))
    var process: [String] = []

    @Option(
        help: ArgumentHelp(
            "Redact names, keys and secrets, or messages too.",
            valueName: "level"))
    var redact = RedactionLevel.none

    @Option(
        help: ArgumentHelp(
            """
            Set the UUID of an image that has none, or with NAME=UUID! replace it; may be repeated.
            """,
            valueName: "name=uuid"))
    var uuid: [String] = []

    @Option(
        help: ArgumentHelp(
            "App images, by name or path, '*' at either end.", valueName: "pattern"))
    var inApp: [String] = []

    @Option(
        help: ArgumentHelp("System images, in the same form.", valueName: "pattern"))
    var notInApp: [String] = []

    @Flag(
        help: "With text, show registers and all other details.")
    var details = false

    @Flag(name: .customLong("no-inline"), help: "Omit inlined calls.")
    var leavesInlinedCallsOut = false

    @Flag(help: "Exit with 1 if an app frame has no function.")
    var strict = false

    @Flag(name: .shortAndLong, help: "Print no hints about missing symbols and no progress.")
    var quiet = false

    func validate() throws {
        if format == .same, inputs.count > 1, output == nil {
            throw ValidationError(
                "--format same with several files needs a folder: set -o")
        }
        if let wrong = uuid.first(where: { SuppliedIdentity($0) == nil }) {
            throw ValidationError("'\(wrong)' is not NAME=UUID or NAME=UUID!")
        }
    }

    func run() async throws {
        let cache = IndexFolder(environment: ProcessInfo.processInfo.environment)
        let own = InputSymbols(among: inputs, unpackingIn: cache?.archives)
        let (destination, sources) = try folders(for: own.reports)
        if !quiet, format != .json { Console.progress.turnOn() }
        let access = try await openSymbols(among: own)
        let processor = processor(for: destination)
        let rules = InAppRules(app: inApp, system: notInApp)
        var run = SymbolicateRun(
            inputs: own.reports, access: access, identities: processor.reader.identities,
            inApp: rules, choosesProcess: !process.isEmpty, isQuiet: quiet,
            showsMissing: format.namesMissingSymbols && destination.isTerminal,
            output: OutputWriter(format, to: destination))
        try await run.process(
            InputProcessor(
                processor: processor, access: access,
                inApp: rules, otherBuilds: run.otherBuilds,
                sources: sources,
                // The input's path may contain a user name.
                namesInput: destination.isTerminal && redact == .none,
                joinsOutputs: !destination.isFolder, isOneOfSeveral: own.reports.count > 1))
        await access.reportMissingFiles()
        try await run.end(isStrict: strict, serverFailed: await access.endServers())
    }

    /// Returns where the output goes, and where the source files are.
    private func folders(
        for reports: [String]
    ) throws -> (OutputWriter.Destination, SourceFolders) {
        do throws(SymbolStoreError) {
            return (
                try OutputWriter.Destination(path: output, inputs: reports, format: format),
                try SourceFolders(sourceRoot)
            )
        } catch {
            Console.problem(error)
            throw Outcome.wrongUsage
        }
    }

    private func openSymbols(among own: InputSymbols) async throws -> SymbolAccess {
        let access = try Console.progress.during("looking for symbols") {
            try symbols.open(
                servers: servers, remote: remote, others: own.paths, findsNearestLine: true,
                findsInstalled: true)
        }
        await access.symbols.noticeIndexing(Self.showIndexing)
        await access.installed?.noticeIndexing(Self.showIndexing)
        return access
    }

    private func processor(for destination: OutputWriter.Destination) -> ReportProcessor {
        var limits = PayloadLimits()
        limits.bytes = InputBytes.limit
        var reader = CrashFileReader(limits: limits, processes: processes)
        reader.identify(by: uuid.compactMap(SuppliedIdentity.init))
        var processor = ReportProcessor(reader: reader, format: format)
        processor.renderer.text = text(for: destination)
        processor.redaction = redact
        processor.writing = writing
        processor.showsInlinedCalls = !leavesInlinedCallsOut
        return processor
    }

    private var processes: ProcessFilter {
        if process.isEmpty { return .target }
        return process.contains("all") ? .all : .named(process)
    }

    private var writing: RewritingOptions {
        var options: RewritingOptions = []
        if fullPaths { options.insert(.fullPaths) }
        if annotate { options.insert(.annotations) }
        return options
    }

    private func text(for destination: OutputWriter.Destination) -> StackText {
        let isStyled = color == .always || (color.isOn() && destination.isTerminal)
        return StackText(
            style: isStyled ? .terminal : .plain, usesFullPaths: fullPaths, showsDetails: details,
            grouping: grouping)
    }

    @Sendable private static func showIndexing(
        _ name: String, _ byteCount: Int
    ) -> @Sendable () -> Void {
        let work = Console.progress.begin("indexing \(name), \(byteCount >> 20) MiB")
        return { Console.progress.end(work) }
    }

    private var inputs: [String] { files.isEmpty ? ["-"] : files }
}
