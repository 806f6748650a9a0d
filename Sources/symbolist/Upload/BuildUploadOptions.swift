import ArgumentParser
import CallStacks
import ServiceClient
import SymbolStores

/// The paths and options of the commands that upload a build.
struct BuildUploadOptions: ParsableArguments {
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

    @Option(
        help: ArgumentHelp(
            "The commit of the source code that the build was made from.", valueName: "id"))
    var commit: String?

    @Option(
        help: ArgumentHelp(
            """
            Wait until the uploads are indexed: --wait for 30 seconds, --wait=120 for longer.
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

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of parallel uploads. Default: 4.", valueName: "n"))
    var jobs: Int?

    @Flag(
        inversion: .prefixedNo,
        help: "Strip serialised Swift modules.")
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

    @Flag(help: "Show what would be sent, but send nothing.")
    var dryRun = false

    @Flag(help: "Exit with 0 if there are no symbols to send.")
    var allowEmpty = false

    @Flag(help: "Exit with 0 even after a failure.")
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
        if let commit, SourceCommit(commit) == nil {
            throw ValidationError("'\(commit)' of --commit is invalid: use \(SourceCommit.rule)")
        }
        if (paths + requireFrom).contains("") { throw ValidationError("a path is empty") }
    }

    /// The first given option that only applies to the files of a build.
    var optionOfBuilds: String? {
        let options = [
            ("--commit", commit != nil), ("--wait", wait != nil), ("--require", !require.isEmpty),
            ("--require-from", !requireFrom.isEmpty), ("--jobs", jobs != nil),
            ("--no-strip-ast", !stripAST), ("--verbose", verbose),
        ]
        return options.first(where: \.1)?.0
    }

    /// Returns the given paths, with `-` replaced by the paths from standard input.
    func allPaths() -> [String] {
        paths.flatMap { path -> [String] in
            guard path == "-" else { return [path] }
            Console.announceStandardInput(of: "paths")
            var lines = InputLines()
            var listed: [String] = []
            while let line = lines.next(beforeWaiting: {}) {
                let text = pathText(of: line.bytes)
                if !text.isEmpty { listed.append(text) }
            }
            return listed
        }
    }

    var filter: PathFilter { PathFilter(including: include, excluding: exclude) }

    /// Runs a closure. With `--soft-fail`, only a wrong usage is a failure.
    func softly(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let code as ExitCode where softFail && code != Outcome.wrongUsage {
            throw ExitCode.success
        }
    }
}
