import ArgumentParser
import CallStacks
import DebugFiles
import Foundation
import JSONText
import Problems
import StackRendering
import SymbolStores

/// `symbolist system`: manages the symbols of Apple's system images on this machine.
struct SystemCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "system",
        abstract: "Manage symbols of Apple's system images.",
        discussion: """
            Apple publishes no debug files of its systems. Their function names are in the \
            shared cache of a device or Mac.

            Examples:
              symbolist system add "iPhone15,2 18.1 (22B83)" --for crash.ips
              symbolist system list
            """,
        subcommands: [Add.self, List.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Extract symbols from a shared cache.",
            discussion: """
                Writes a small Mach-O file for each image, with names and addresses but no \
                code. Commands that take --symbols search these files last.

                Examples:
                  symbolist system add "iPhone15,2 18.1 (22B83)" --for crash.ips
                  symbolist system add dyld_shared_cache_arm64e --image UIKitCore -o symbols
                """)

        @Argument(
            help: ArgumentHelp(
                "A shared cache, a file of one, a folder of them, or a DeviceSupport folder.",
                valueName: "path"), completion: .file())
        var paths: [String]

        @Option(
            name: .customLong("for"),
            help: ArgumentHelp(
                "Only the images that a crash or hang report names; may be repeated.",
                valueName: "report"), completion: .file())
        var reports: [String] = []

        @Option(
            name: .customLong("image"),
            help: ArgumentHelp(
                "Only an image, by name or UUID; may be repeated.", valueName: "image"))
        var images: [String] = []

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "The folder to write to. Default: symbolist/system in XDG_DATA_HOME or ~/.local/share.",
                valueName: "folder"), completion: .directory)
        var output: String?

        func run() async throws {
            let environment = ProcessInfo.processInfo.environment
            guard
                let folder = output.map({ SystemFolder(path: $0) })
                    ?? SystemFolder(environment: environment)
            else { throw ValidationError("HOME is not set: pass a folder with -o") }
            let list = SystemImageList(paths: paths)
            for problem in list.problems { Console.problem(problem.error) }
            var choice = SystemImageChoice(names: images)
            for report in reports { await choice.add(report: report) }
            var run = SystemAddRun(folder, showsImages: choice.isLimited)
            run.add(list, choice)
            if let problem = list.nothingFound { Console.problem(problem) }
            try run.end(
                hasNothing: list.images.isEmpty,
                isDamaged: choice.isDamaged
                    || list.problems.contains(where: \.isExplicit))
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the system images with symbols on this machine.",
            discussion: """
                Examples:
                  symbolist system list
                  symbolist system list --json
                """)

        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            let folder = SystemFolder(environment: ProcessInfo.processInfo.environment)
            let entries = folder?.files ?? []
            for problem in entries.flatMap(\.problems) { Console.problem(problem.error) }
            let files = entries.flatMap { entry in entry.files.map { (entry.path, $0) } }
            Console.result(json ? Self.json(files) + "\n" : files.map(Self.line).joined())
            guard files.isEmpty else { return }
            Console.problem(
                Problem(
                    "system symbols", detail: "none are stored",
                    suggestion: "run 'symbolist system add CACHE'"))
            throw Outcome.nothingFound
        }

        private static func line(_ path: String, file: DebugFile) -> String {
            let words = [
                file.id?.description ?? "none", file.architecture.name, file.installName ?? path,
            ]
            return Console.oneLine(words.joined(separator: "  ")) + "\n"
        }

        /// Returns `{"images": [{"uuid", "arch", "name", "path", "bytes", "complete"}]}`.
        private static func json(_ files: [(String, DebugFile)]) -> String {
            var writer = JSONWriter(layout: .pretty)
            writer.beginObject()
            writer.array("images", files) { writer, entry in
                let (path, file) = entry
                writer.beginObject()
                writer.member("uuid", file.id?.description)
                writer.member("arch", file.architecture.name)
                writer.member("name", file.installName)
                writer.member("path", path)
                writer.member("bytes", UInt64(clamping: file.byteCount))
                writer.member("complete", file.hasCompleteSymbols)
                writer.endObject()
            }
            writer.endObject()
            return writer.text
        }
    }
}
