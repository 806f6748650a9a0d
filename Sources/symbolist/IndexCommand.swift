import ArgumentParser
import DebugFiles
import SymbolIndexes
import SymbolStores

/// `symbolist index`: builds and dumps indexes, for inspection.
struct IndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Build an index from a debug file, or print one.",
        usage: """
            symbolist index <file> -o <out> [--arch <arch>]
            symbolist index dump <file> [--arch <arch>]
            """,
        discussion: """
            Writes an index to a file of your choice. Other commands build indexes on demand and \
            cache them in SYMBOLIST_CACHE, else in symbolist below XDG_CACHE_HOME or ~/.cache.

            Examples:
              symbolist index Orchard.app.dSYM -o Orchard.symidx
              symbolist index dump Orchard.app.dSYM
            """,
        subcommands: [Build.self, Dump.self],
        defaultSubcommand: Build.self)

    struct Build: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "build",
            abstract: "Build the index of one debug file.",
            discussion: """
                Examples:
                  symbolist index Orchard.app.dSYM -o Orchard.symidx
                  symbolist index --arch arm64 Orchard.app.dSYM -o Orchard.symidx
                """)

        @Argument(
            help: ArgumentHelp("A debug file, or a dSYM with one file.", valueName: "file"),
            completion: .file())
        var file: String

        @Option(
            name: [.customShort("o"), .customLong("output")],
            help: ArgumentHelp("The file to write.", valueName: "out"), completion: .file())
        var output: String

        @Option(help: "The slice of a universal file, such as arm64.")
        var arch: String?

        @Option(
            parsing: .unconditional, help: "The number of threads. Default: one per processor.")
        var threads: Int?

        func validate() throws {
            if let threads, threads < 1 {
                throw ValidationError("'\(threads)' is not a number of threads of 1 or more")
            }
        }

        func run() async throws {
            let opened = try OpenedDebugFile(path: file, architecture: arch)
            let index = try await SymbolIndex.bytes(
                of: opened.file, name: opened.path, threads: threads)
            try writeOutput(index, to: output)
        }
    }

    struct Dump: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "dump",
            abstract: "Print an index as text.",
            discussion: """
                Examples:
                  symbolist index dump Orchard.symidx
                  symbolist index dump Orchard.app.dSYM --arch arm64
                """)

        @Argument(
            help: ArgumentHelp(
                "An index, or a debug file whose index is printed.", valueName: "file"),
            completion: .file())
        var file: String

        @Option(help: "The slice of a universal file, such as arm64.")
        var arch: String?

        func run() throws {
            let index = try SymbolIndex(path: file, architecture: arch)
            var output = ConsoleStream()
            try index.dump(to: &output)
            output.flush()
        }
    }
}
