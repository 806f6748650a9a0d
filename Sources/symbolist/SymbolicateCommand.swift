import ArgumentParser
import CallStacks
import CrashFiles
import FoundationEssentials
import StackRendering
import SymbolStores
import Symbolication

/// `symbolist symbolicate`: any crash, hang or backtrace file in, symbolicated out.
struct SymbolicateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "symbolicate",
        abstract: "Symbolicate crash and hang reports.",
        discussion: """
            Takes \(CrashFormat.allWords), compressed or not, also from archives and folders. What a \
            file is, is told by its content.

            JSON is an object for one report, an array for several. With '--format same' each \
            file comes back in its own form, with names and lines where it had addresses; what is \
            no report passes through, so a log can be piped through. '--format crash' is Apple's \
            text of a crash, 'markdown' is for issues.

            Examples:
              symbolist symbolicate crash.json --symbols dSYMs
              symbolist symbolicate - --format json < crash.json > answer.json
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case text, json, same, crash, markdown

        /// Whether lines around the reports of a log stay.
        var keepsLines: Bool { self == .text || self == .same }

        /// Whether an inlined call is written with its distance, as Apple does.
        var showsCallDistances: Bool { self == .same || self == .crash }

        /// Whether an answer itself says what is missing.
        var namesMissing: Bool { self == .text || self == .markdown }
    }

    @Argument(
        help: ArgumentHelp(
            "Reports, archives or folders of them; '-' or nothing reads standard input.",
            valueName: "file"),
        completion: .file())
    var files: [String] = []

    @OptionGroup var symbols: SymbolOptions

    @OptionGroup var servers: DebuginfodOptions

    @OptionGroup var remote: RemoteOptions

    @Option(
        help: """
            For people, for programs, the form of the input, Apple's crash text, or for an issue.
            """)
    var format = Format.text

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file to write, or a folder for several.", valueName: "path"),
        completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Show source lines from this folder; may be repeated.", valueName: "folder"),
        completion: .directory)
    var sourceRoot: [String] = []

    @Option(help: "When text is styled; auto is on a terminal without NO_COLOR.")
    var color = ColorChoice.auto

    @Flag(help: "Show whole source paths, with 'same' too.")
    var fullPaths = false

    @Flag(
        help: "With 'same' of .ips, add path, column, linkage name.")
    var annotate = false

    @Option(
        help: ArgumentHelp(
            """
            Processes to read of a whole spindump, or 'all'; may be repeated. Default: the one that \
            it is about.
            """, valueName: "name|pid"))
    var process: [String] = []

    @Option(
        help: ArgumentHelp(
            "Leave out names, keys, secrets, or messages too.",
            valueName: "level"))
    var redact = RedactionLevel.none

    @Option(
        help: ArgumentHelp(
            """
            The UUID of an image without one, or NAME=UUID! for one with another; may be repeated.
            """,
            valueName: "name=uuid"))
    var uuid: [String] = []

    @Option(
        help: ArgumentHelp(
            "Images of the app by name or path, '*' at either end.", valueName: "pattern"))
    var inApp: [String] = []

    @Option(
        help: ArgumentHelp("Images that are not the app's, likewise.", valueName: "pattern"))
    var notInApp: [String] = []

    @Flag(
        help: "With text, show registers, memory, and all the rest.")
    var details = false

    @Flag(name: .customLong("no-inline"), help: "Leave inlined calls out.")
    var leavesInlinedCallsOut = false

    @Flag(help: "End with 1 when an app frame stays without a function.")
    var strict = false

    @Flag(name: .shortAndLong, help: "Say nothing of what is missing, and show no progress.")
    var quiet = false

    func validate() throws {
        if format == .same, inputs.count > 1, output == nil {
            throw ValidationError(
                "several files in their own form need a folder to be written to: give one with -o")
        }
        if let wrong = uuid.first(where: { Self.identity($0) == nil }) {
            throw ValidationError("'\(wrong)' is not NAME=UUID or NAME=UUID!")
        }
    }

    func run() async throws {
        let cache = IndexFolder(environment: ProcessInfo.processInfo.environment)
        let own = InputSymbols(among: inputs, unpackingIn: cache?.archives)
        let inputs = own.reports
        let destination: AnswerOutput.Destination
        let sources: SourceFolders
        do throws(SymbolStoreError) {
            destination = try AnswerOutput.Destination(
                path: output, inputs: inputs, format: format)
            sources = try SourceFolders(sourceRoot)
        } catch {
            Console.problem(error)
            throw Outcome.wrongUsage
        }
        if !quiet, format != .json { Console.progress.turnOn() }
        let access = try Console.progress.during("looking for symbols") {
            try symbols.open(servers, remote, others: own.paths, fillsGaps: true)
        }
        await access.symbols.noticeIndexing(Self.showIndexing)
        let given = uuid.compactMap(Self.identity)
        let identities = Dictionary(given.map { ($0.name, $0.id) }) { _, last in last }
        let overridden = Set(given.lazy.filter(\.isOverride).map(\.name))
        var run = SymbolicateRun(
            inputs: inputs, access: access, identities: identities, isQuiet: quiet,
            showsMissing: format.namesMissing && destination.isTerminal,
            output: AnswerOutput(format, to: destination))
        let writer = ReportWriter(
            format: format, text: text(for: destination), sources: sources,
            otherBuilds: run.otherBuilds,
            // The path of the input has the name of a user as any other path.
            namesInput: destination.isTerminal && redact == .none)
        try await run.answer(
            InputAnswering(
                format: format, writer: writer, access: access, processes: processes,
                redaction: redact, writing: writing, identities: identities,
                overriddenNames: overridden, inApp: InAppRules(app: inApp, system: notInApp),
                keepsInlinedCalls: !leavesInlinedCallsOut,
                joinsAnswers: !destination.isFolder, isOneOfSeveral: inputs.count > 1))
        try run.end(isStrict: strict, serverFailed: await access.endServers())
    }

    private var processes: ProcessChoice {
        if process.isEmpty { return .target }
        return process.contains("all") ? .all : .named(process)
    }

    private var writing: WritingOptions {
        var options: WritingOptions = []
        if fullPaths { options.insert(.fullPaths) }
        if annotate { options.insert(.annotations) }
        return options
    }

    private func text(for destination: AnswerOutput.Destination) -> StackText {
        let isStyled = color == .always || (color.isOn() && destination.isTerminal)
        return StackText(
            style: isStyled ? .terminal : .plain, usesFullPaths: fullPaths, showsDetails: details)
    }

    @Sendable private static func showIndexing(
        _ name: String, _ byteCount: Int
    ) -> @Sendable () -> Void {
        let work = Console.progress.begin("indexing \(name), \(byteCount >> 20) MiB")
        return { Console.progress.end(work) }
    }

    /// An identity that was given for an image.
    private struct GivenIdentity {
        var name: String
        var id: ImageID
        /// Whether it counts more than what a report states.
        var isOverride: Bool
    }

    /// `Orchard=4C4C4481-5555-3144-A199-BFCEAE3FE729`, with `!` for an override.
    private static func identity(_ text: String) -> GivenIdentity? {
        let isOverride = text.hasSuffix("!")
        let text = isOverride ? text.dropLast() : text[...]
        guard let sign = text.lastIndex(of: "="), sign > text.startIndex,
            let id = ImageID(text[text.index(after: sign)...])
        else { return nil }
        return GivenIdentity(name: String(text[..<sign]), id: id, isOverride: isOverride)
    }

    private var inputs: [String] { files.isEmpty ? ["-"] : files }
}
