import ArgumentParser
import CallStacks
import Foundation
import SymbolStores
import ServiceClient

/// `symbolist upload`: uploads the debug files of a build that the server lacks.
struct UploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload",
        abstract: "Upload the symbols of a build to a server.",
        discussion: """
            Asks the server which images it lacks and sends only those. App, version and build are \
            read from an .xcarchive unless set.

            Examples:
              symbolist upload Orchard.xcarchive --server https://symbols.example.com
              symbolist upload dSYMs --app com.example.orchard --version 1.4.0 --build 2107
              symbolist upload --system "iPhone15,2 18.1 (22B83)"

            Exit codes: 0 all symbols are on the server, 1 an upload failed or a required image has \
            no symbols, 2 wrong usage, 3 no symbols in the paths, 4 server refused or unreachable.
            """)

    @Argument(
        help: ArgumentHelp(
            "dSYMs, debug files, archives, or folders of them; '-' reads paths from standard input.",
            valueName: "path"), completion: .file())
    var paths: [String]

    @OptionGroup var server: ServerOptions

    @Option(help: ArgumentHelp("The identifier of the app.", valueName: "id"))
    var app: String?

    @Option(help: ArgumentHelp("The version of the app.", valueName: "v"))
    var version: String?

    @Option(help: ArgumentHelp("The build of the version.", valueName: "b"))
    var build: String?

    @Flag(help: "Send symbols of Apple's system images, from shared caches in the paths.")
    var system = false

    @Flag(help: "With --system: send the images that diagnostics wait for. This is the default.")
    var missing = false

    @Flag(help: "With --system: send every image that the server does not have.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "With --system: send only this image, by name or UUID; may be repeated.",
            valueName: "image"))
    var image: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            With --system: the system that the images belong to, such as 'iPhone OS 18.1 (22B83)'. \
            Default: the one in the name of their folder.
            """, valueName: "system"))
    var os: String?

    @Option(
        help: ArgumentHelp(
            """
            Wait until the uploads are indexed, for 30 seconds or the given time (--wait=120).
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

    @Option(help: ArgumentHelp("The number of parallel uploads. Default: 4.", valueName: "n"))
    var jobs: Int?

    @Flag(
        inversion: .prefixedNo,
        help: "Strip serialised Swift modules, which only debuggers read.")
    var stripAST = true

    @Option(
        help: ArgumentHelp(
            "Upload only paths that match this pattern of *, ? and [a-z]; may be repeated.",
            valueName: "glob"))
    var include: [String] = []

    @Option(
        help: ArgumentHelp(
            "Skip paths that match this pattern; may be repeated.", valueName: "glob"))
    var exclude: [String] = []

    @Flag(help: "Send all files, without asking what is missing.")
    var force = false

    @Flag(help: "Ask what is missing, but send nothing.")
    var dryRun = false

    @Flag(help: "Exit with 0 if there are no symbols to send.")
    var allowEmpty = false

    @Flag(help: "Exit with 0 even after a failure, for builds that must not fail.")
    var softFail = false

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "Also list skipped files.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Print only problems.")
    var quiet = false

    func validate() throws {
        if let jobs, !(1...64 ~= jobs) {
            throw ValidationError("'\(jobs)' is not a number of jobs from 1 to 64")
        }
        if let wait, !(0...86_400 ~= wait) {
            throw ValidationError("'\(wait)' is not a time to wait from 0 to 86400 seconds")
        }
        if let wrong = require.first(where: { ImageID($0) == nil }) {
            throw ValidationError("'\(wrong)' is not a UUID or build ID")
        }
        if !system, missing || all || !image.isEmpty || os != nil {
            throw ValidationError("--missing, --all, --image and --os go with --system")
        }
        if let os, !SystemBuild.isBuild(SystemBuild(os).build) {
            throw ValidationError("'\(os)' has no build: write it as 'iPhone OS 18.1 (22B83)'")
        }
        if [missing, all, !image.isEmpty].filter(\.self).count > 1 {
            throw ValidationError("--missing, --all and --image exclude each other: give one")
        }
        if system, app != nil || version != nil || build != nil {
            throw ValidationError("--system has no --app, --version or --build: it serves all apps")
        }
        if system, let option = optionOfBuilds {
            throw ValidationError("\(option) does not go with --system")
        }
        if (paths + requireFrom).contains("") { throw ValidationError("a path is empty") }
    }

    /// The first given option that has a meaning for the files of a build only.
    private var optionOfBuilds: String? {
        let options = [
            ("--wait", wait != nil), ("--require", !require.isEmpty),
            ("--require-from", !requireFrom.isEmpty), ("--jobs", jobs != nil),
            ("--no-strip-ast", !stripAST), ("--force", force), ("--json", json),
            ("--verbose", verbose),
        ]
        return options.first(where: \.1)?.0
    }

    func run() async throws { try await run(replacing: false) }

    /// - Parameter replaces: Whether the app's files on the server are replaced.
    func run(replacing replaces: Bool) async throws {
        if system, replaces {
            throw ValidationError("--system goes with 'symbolist upload' only")
        }
        let paths = allPaths()
        if system { return try await uploadSystem(paths) }
        let build = try buildName(paths)
        let connection = try server.connect()
        do {
            try await connection.use {
                try await upload(paths, of: build, to: $0, options: options(replacing: replaces))
            }
        } catch let code as ExitCode where softFail && code != Outcome.wrongUsage {
            throw ExitCode.success
        }
    }

    private func upload(
        _ paths: [String], of build: Build, to connection: ServerConnection,
        options: UploadRun.Options
    ) async throws {
        let archives = IndexFolder(environment: ProcessInfo.processInfo.environment)?.archives
        let inputs = UploadInputs(
            paths: paths, unpackingIn: archives,
            choosing: PathFilter(including: include, excluding: exclude))
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
        console.end(inputs, result: result, isVerbose: verbose, json: json)
        if let ending = result.ending {
            Console.problem(ending)
            throw Outcome.of(ending) == Outcome.someFailed
                ? Outcome.serverRefused : Outcome.of(ending)
        }
        let isComplete =
            !inputs.problems.contains(where: \.isExplicit)
            && !product.problems.contains(where: \.isExplicit)
        if result.hasFailures || !isComplete { throw Outcome.someFailed }
        guard inputs.slices.isEmpty else { return }
        reportCaches(in: paths)
        if !allowEmpty { throw Outcome.nothingFound }
    }

    /// Names the option for the shared caches in the paths, which belong to no build.
    private func reportCaches(in paths: [String]) {
        for cache in DebugFileListing(paths: paths).caches {
            Console.problem(
                SymbolStoreError(
                    cache.path, detail: "is a shared cache",
                    suggestion: "use 'symbolist upload --system'"))
        }
    }

    private func uploadSystem(_ paths: [String]) async throws {
        let list = SystemImageList(paths: paths, for: "symbolist upload --system")
        for problem in list.problems { Console.problem(problem.error) }
        let names = SystemImageChoice(names: image)
        for missing in names.missing(from: list.images) {
            Console.problem("\(missing.name): not in the given caches")
        }
        do {
            try await send(list, names: names)
        } catch let code as ExitCode where softFail && code != Outcome.wrongUsage {
            throw ExitCode.success
        }
    }

    /// Uploads the chosen images of systems.
    private func send(_ list: SystemImageList, names: SystemImageChoice) async throws {
        let isFailed = list.problems.contains(where: \.isExplicit)
        guard !list.images.isEmpty else {
            if isFailed { throw Outcome.someFailed }
            if allowEmpty { return }
            throw Outcome.nothingFound
        }
        let chosen = list.images.filter(names.includes).map(\.id)
        let choice: SystemUpload.Choice =
            all ? .all : image.isEmpty ? .wanted : .only(Set(chosen))
        let run = SystemUploadRun(
            list: list, showsRows: !quiet, system: os.map { SystemBuild($0) },
            filter: PathFilter(including: include, excluding: exclude), isDryRun: dryRun)
        try await server.connect().use { try await run.run(choice, to: $0) }
        if isFailed || !names.missing(from: list.images).isEmpty { throw Outcome.someFailed }
    }

    private func options(replacing replaces: Bool) -> UploadRun.Options {
        var options = UploadRun.Options()
        options.replaces = replaces
        if let jobs { options.jobs = jobs }
        options.isForced = force
        options.keepsSwiftModules = !stripAST
        options.isDryRun = dryRun
        options.waitLimit = wait.map { .seconds($0) }
        return options
    }

    /// Returns the given paths, with `-` replaced by the paths from standard input.
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
                "missing build: set --app, --version and --build, or use an .xcarchive")
        }
        return Build(app: app, version: version, build: build)
    }
}

/// Handles options with an optional value, which the parser does not support: it would always take
/// the argument after `--wait` as the value.
enum OptionalValueArguments {
    /// The default value of `--wait` by command, in seconds.
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
