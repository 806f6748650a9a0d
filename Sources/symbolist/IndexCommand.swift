import ArgumentParser
import DebugFiles
import Foundation
import SymbolIndexes
import SymbolStores

/// `symbolist index`: the index format, for inspection.
struct IndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Build an index from a debug file, or print one.",
        discussion: """
            Examples:
              symbolist index Shop.dSYM/Contents/Resources/DWARF/Shop -o Shop.symidx
              symbolist index dump Shop.symidx
            """,
        subcommands: [Build.self, Dump.self],
        defaultSubcommand: Build.self)

    struct Build: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "build", abstract: "Build the index of one debug file.")

        @Argument(help: ArgumentHelp("A debug file, or a dSYM of one file.", valueName: "file"))
        var file: String

        @Option(name: [.customShort("o"), .customLong("output")], help: "Where the index goes.")
        var output: String

        @Option(help: "The slice of a universal file, such as arm64.")
        var arch: String?

        func run() throws {
            let opened = try OpenedDebugFile(path: file, architecture: arch)
            let index = try SymbolIndex.bytes(of: opened.file, name: opened.path)
            try Data(index).write(to: URL(fileURLWithPath: output), options: .atomic)
        }
    }

    struct Dump: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "dump", abstract: "Print an index readably.")

        @Argument(
            help: ArgumentHelp(
                "An index, or a debug file to print the index of.", valueName: "file"))
        var file: String

        @Option(help: "The slice of a universal file, such as arm64.")
        var arch: String?

        func run() throws {
            let index = try SymbolIndex(path: file, architecture: arch)
            try index.verify()
            var output = ConsoleStream()
            try index.dump(to: &output)
            output.flush()
        }
    }
}
