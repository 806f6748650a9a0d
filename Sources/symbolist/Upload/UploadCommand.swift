import ArgumentParser
import CallStacks
import ServiceClient
import SymbolStores

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
              symbolist upload dSYMs --app com.example.Orchard --version 1.4.0 --build 2107
              symbolist upload --system "iPhone15,2 18.1 (22B83)"

            Exit codes: 0 all symbols are on the server, 1 an upload failed or a required image has \
            no symbols, 2 wrong usage, 3 no symbols in the paths, 4 server refused or unreachable.
            """)

    @OptionGroup var options: BuildUploadOptions

    @Flag(help: "Send all files, without asking what is missing.")
    var force = false

    @Flag(help: "Send symbols of system images from shared caches.")
    var system = false

    @Flag(help: "With --system: send what diagnostics wait for (default).")
    var missing = false

    @Flag(help: "With --system: send every image that the server lacks.")
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

    func validate() throws {
        if !system, missing || all || !image.isEmpty || os != nil {
            throw ValidationError("--missing, --all, --image and --os go with --system")
        }
        if let os, !SystemBuild.isBuild(SystemBuild(os).build) {
            throw ValidationError("'\(os)' has no build: write it as 'iPhone OS 18.1 (22B83)'")
        }
        if [missing, all, !image.isEmpty].filter(\.self).count > 1 {
            throw ValidationError("--missing, --all and --image exclude each other: pass one")
        }
        if system, options.app != nil || options.version != nil || options.build != nil {
            throw ValidationError("--system has no --app, --version or --build: it serves all apps")
        }
        if system, let option = options.optionOfBuilds ?? (force ? "--force" : nil) {
            throw ValidationError("\(option) does not go with --system")
        }
    }

    func run() async throws {
        guard system else {
            return try await BuildUpload(options: options, selection: force ? .all : .missing).run()
        }
        try await uploadSystem(options.allPaths())
    }

    private func uploadSystem(_ paths: [String]) async throws {
        let list = SystemImageList(paths: paths, for: "symbolist upload --system")
        for problem in list.problems { Console.problem(problem.error) }
        let names = SystemImageChoice(names: image)
        for missing in names.missing(from: list.images) {
            Console.problem("\(missing.name): not in the given caches")
        }
        try await options.softly { try await send(list, names: names) }
    }

    /// Uploads the chosen images of systems.
    private func send(_ list: SystemImageList, names: SystemImageChoice) async throws {
        let isFailed = list.problems.contains(where: \.isExplicit)
        guard !list.images.isEmpty else {
            if isFailed { throw Outcome.someFailed }
            if options.allowEmpty { return }
            if let problem = list.nothingFound { Console.problem(problem) }
            throw Outcome.nothingFound
        }
        let chosen = list.images.filter(names.includes).map(\.id)
        let choice: SystemUpload.Choice =
            all ? .all : image.isEmpty ? .wanted : .only(Set(chosen))
        let run = SystemUploadRun(
            list: list, output: options.json ? .json : options.quiet ? .quiet : .text,
            system: os.map { SystemBuild($0) }, filter: options.filter, isDryRun: options.dryRun)
        try await options.server.connect().use { try await run.run(choice, to: $0) }
        if isFailed || !names.missing(from: list.images).isEmpty { throw Outcome.someFailed }
    }
}
