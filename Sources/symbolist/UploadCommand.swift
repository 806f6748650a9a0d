import ArgumentParser
import CallStacks
import Foundation
import SymbolStores
import SymbolUpload

/// `symbolist upload`: the debug files of a build, as far as the server lacks them.
struct UploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload",
        abstract: "Send the symbols of a build to a server.",
        discussion: """
            Asks the server which images it lacks, and sends only those. What an .xcarchive says of \
            app, version and build need not be given.

            Examples:
              symbolist upload Orchard.xcarchive --server https://symbols.example.com
              symbolist upload dSYMs --app com.example.orchard --version 1.4.0 --build 2107

            Exit codes: 0 everything is on the server, 1 some failed or a required image has no \
            symbols, 2 wrong usage, 3 no symbols in the paths, 4 server refused or unreachable.
            """)

    @Argument(
        help: ArgumentHelp(
            "dSYMs, debug files, archives, or folders of them; '-' reads paths from standard input.",
            valueName: "path"), completion: .file())
    var paths: [String]

    @OptionGroup var server: ServerOptions

    @Option(help: ArgumentHelp("The app's identifier.", valueName: "id"))
    var app: String?

    @Option(help: ArgumentHelp("The app's version.", valueName: "v"))
    var version: String?

    @Option(help: ArgumentHelp("The build of that version.", valueName: "b"))
    var build: String?

    @Option(
        help: ArgumentHelp(
            """
            Wait until what was sent is indexed, for 30 seconds or as many as are given \
            (--wait=120).
            """, valueName: "seconds"))
    var wait: Int?

    @Option(
        help: ArgumentHelp(
            "Fail unless this image has symbols; may be repeated.", valueName: "uuid"))
    var require: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Fail unless every image in this app, .ipa, .xcarchive or folder has symbols; may be \
            repeated.
            """, valueName: "app"), completion: .file())
    var requireFrom: [String] = []

    @Option(help: ArgumentHelp("How many files travel at once.", valueName: "n"))
    var jobs = 4

    @Flag(
        inversion: .prefixedNo,
        help: "Leave out serialised Swift modules, which only debuggers read.")
    var stripAST = true

    @Option(
        help: ArgumentHelp(
            "Only files whose path fits this pattern of *, ? and [a-z]; may be repeated.",
            valueName: "glob"))
    var include: [String] = []

    @Option(
        help: ArgumentHelp(
            "No files whose path fits this pattern; may be repeated.", valueName: "glob"))
    var exclude: [String] = []

    @Flag(help: "Send everything, without asking what is missing.")
    var force = false

    @Flag(help: "Ask what is missing, and send nothing.")
    var dryRun = false

    @Flag(help: "End with 0 where there is nothing to send.")
    var allowEmpty = false

    @Flag(help: "End with 0 whatever happens, for builds that must not fail.")
    var softFail = false

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "Also name what was not worth sending.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Print nothing but what went wrong.")
    var quiet = false

    func validate() throws {
        if !(1...64 ~= jobs) {
            throw ValidationError("'\(jobs)' is no number of jobs: give 1 to 64")
        }
        if let wait, !(0...86_400 ~= wait) {
            throw ValidationError("'\(wait)' is no time to wait: give 0 to 86400 seconds")
        }
        if let wrong = require.first(where: { ImageID($0) == nil }) {
            throw ValidationError("'\(wrong)' is no UUID or build id")
        }
        if (paths + requireFrom).contains("") { throw ValidationError("a path is empty") }
    }

    func run() async throws { try await run(replacing: false) }

    /// - Parameter replaces: Whether the app's own files on the server are replaced.
    func run(replacing replaces: Bool) async throws {
        let paths = allPaths()
        let build = try buildName(paths)
        let connection = try server.connect()
        do {
            try await connection.use {
                try await upload(paths, of: build, to: $0, options(replacing: replaces))
            }
        } catch let code as ExitCode where softFail && code != Outcome.wrongUsage {
            throw ExitCode.success
        }
    }

    private func upload(
        _ paths: [String], of build: Build, to connection: ServerConnection,
        _ options: UploadRun.Options
    ) async throws {
        let archives = IndexFolder(environment: ProcessInfo.processInfo.environment)?.archives
        let inputs = UploadInputs(
            paths: paths, unpackingIn: archives,
            choosing: PathChoice(including: include, excluding: exclude))
        for problem in inputs.problems { Console.problem(problem.error) }
        let product = ProductImages(paths: requireFrom, unpackingIn: archives)
        for problem in product.problems { Console.problem(problem.error) }

        let required = require.compactMap { ImageID($0) }.map { RequiredImage($0) }
        let console = UploadConsole(
            inputs, showsRows: !json && !quiet, showsProgress: !json && !quiet)
        let run = UploadRun(
            inputs, of: build, to: connection, requiring: required + product.images,
            options: options)
        let result = await run.run { console.show($0) }
        console.end(inputs, result, isVerbose: verbose, json: json)
        if let ending = result.ending {
            Console.problem(ending)
            throw Outcome.of(ending) == Outcome.someFailed
                ? Outcome.serverRefused : Outcome.of(ending)
        }
        let isComplete =
            !inputs.problems.contains(where: \.isNamedByCaller)
            && !product.problems.contains(where: \.isNamedByCaller)
        if result.hasFailures || !isComplete { throw Outcome.someFailed }
        if inputs.slices.isEmpty, !allowEmpty { throw Outcome.nothingFound }
    }

    private func options(replacing replaces: Bool) -> UploadRun.Options {
        var options = UploadRun.Options()
        options.replaces = replaces
        options.jobs = jobs
        options.isForced = force
        options.keepsSwiftModules = !stripAST
        options.isDryRun = dryRun
        options.waitLimit = wait.map { .seconds($0) }
        return options
    }

    /// The given paths, with those of standard input in place of `-`.
    private func allPaths() -> [String] {
        paths.flatMap { path -> [String] in
            guard path == "-" else { return [path] }
            Console.announceStandardInput(of: "paths")
            var lines = InputLines()
            var listed: [String] = []
            while let line = lines.next(beforeWaiting: {}) {
                let text = String(decoding: line.bytes, as: UTF8.self)
                if !text.isEmpty { listed.append(text) }
            }
            return listed
        }
    }

    private func buildName(_ paths: [String]) throws -> Build {
        let archive = XcodeArchive(around: paths)
        guard let app = app ?? archive.app, let version = version ?? archive.version,
            let build = build ?? archive.build, ![app, version, build].contains("")
        else {
            throw ValidationError(
                "no build given: set --app, --version and --build, or give an .xcarchive")
        }
        return Build(app: app, version: version, build: build)
    }
}

/// Options whose value may be left out, which the parser does not have: `--wait` alone would take
/// the next argument.
enum OptionalValues {
    /// How many seconds `--wait` stands for, by command: for being indexed, and for being uploaded.
    private static let waits: [String?: Int] = [
        UploadCommand.configuration.commandName: 30,
        SymbolicateCommand.configuration.commandName: 60,
        LookupCommand.configuration.commandName: 60,
        AtosCommand.configuration.commandName: 60,
    ]

    static func completed(_ arguments: [String]) -> [String] {
        let isReplacing = arguments.starts(with: SymbolsCommand.Replace.words)
        let command = isReplacing ? UploadCommand.configuration.commandName : arguments.first
        guard let seconds = waits[command] else { return arguments }
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        return arguments[..<end].map { $0 == "--wait" ? "--wait=\(seconds)" : $0 }
            + arguments[end...]
    }
}
