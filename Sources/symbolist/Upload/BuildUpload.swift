import ArgumentParser
import CallStacks
import Foundation
import Problems
import ServiceClient
import SymbolStores

/// Uploads the debug files of a build.
struct BuildUpload {
    /// The files that are sent.
    enum Selection {
        /// Those that the server lacks.
        case missing
        case all
        /// All of them, in place of the app's earlier files of the same images.
        case replacing
    }

    let options: BuildUploadOptions
    let selection: Selection

    func run() async throws {
        let paths = options.allPaths()
        if paths.isEmpty {
            Console.problem(
                Problem(
                    "standard input", detail: "contains no paths", suggestion: "send one per line"))
        }
        let build = try buildName(paths)
        let connection = try options.server.connect()
        try await options.softly {
            try await connection.use { try await upload(paths, of: build, to: $0) }
        }
    }

    private func upload(
        _ paths: [String], of build: Build, to connection: ServerConnection
    ) async throws {
        let archives = IndexFolder(environment: ProcessInfo.processInfo.environment)?.archives
        let inputs = UploadInputs(
            paths: paths, unpackingIn: archives, choosing: options.filter)
        for problem in inputs.problems { Console.problem(problem.error) }
        let product = ProductImages(paths: options.requireFrom, unpackingIn: archives)
        for problem in product.problems { Console.problem(problem.error) }
        let lacksProduct = !options.requireFrom.isEmpty && product.images.isEmpty
        if lacksProduct {
            Console.problem(
                Problem(
                    "--require-from", detail: "no program or library in \(options.requireFrom[0])",
                    suggestion: "pass the app, the .ipa or the .xcarchive of the build"))
        }

        let required = options.require.compactMap { ImageID($0) }.map { RequiredImage($0) }
        let showsSteps = !options.json && !options.quiet
        let console = UploadConsole(inputs, showsRows: showsSteps, showsProgress: showsSteps)
        let run = UploadRun(
            inputs, of: build, to: connection, requiring: required + product.images,
            options: runOptions)
        let result = await run.run { console.show($0) }
        console.end(inputs, result: result, isVerbose: options.verbose, json: options.json)
        if let ending = result.ending {
            Console.problem(ending)
            throw Outcome.of(ending)
        }
        let isComplete =
            Self.isComplete(inputs) && !product.problems.contains(where: \.isExplicit)
        if result.hasFailures || !isComplete || lacksProduct { throw Outcome.someFailed }
        guard inputs.slices.isEmpty else { return }
        reportCaches(in: paths)
        if !options.allowEmpty { throw Outcome.nothingFound }
    }

    /// Whether every path that the caller listed was read. If there are only files of other kinds,
    /// nothing failed: there was nothing to find.
    private static func isComplete(_ inputs: UploadInputs) -> Bool {
        let failures = inputs.problems.filter(\.isExplicit)
        return failures.isEmpty
            || inputs.slices.isEmpty && failures.allSatisfy(\.error.isOfOtherKind)
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

    private var runOptions: UploadRun.Options {
        var run = UploadRun.Options()
        run.commit = options.commit.flatMap { SourceCommit($0) }
        run.replaces = selection == .replacing
        if let jobs = options.jobs { run.jobs = jobs }
        run.isForced = selection == .all
        run.keepsSwiftModules = !options.stripAST
        run.isDryRun = options.dryRun
        run.waitLimit = options.wait.map { .seconds($0) }
        return run
    }

    private func buildName(_ paths: [String]) throws -> Build {
        let archive = XcodeArchive(around: paths)
        guard let app = options.app ?? archive.app,
            let version = options.version ?? archive.version,
            let build = options.build ?? archive.build, ![app, version, build].contains("")
        else {
            throw ValidationError(
                "missing build: set --app, --version and --build, or use an .xcarchive")
        }
        for (option, value) in [("app", app), ("version", version), ("build", build)]
        where !Build.isPart(value) {
            throw ValidationError("'\(value)' of --\(option) is invalid: use \(Build.partRule)")
        }
        return Build(app: app, version: version, build: build)
    }
}
