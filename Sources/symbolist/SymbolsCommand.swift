import ArgumentParser
import CallStacks
import JSONText
import SymbolUpload

/// `symbolist symbols`: what a server has of symbols, and what it lacks.
struct SymbolsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "symbols",
        abstract: "Show, replace or remove what a server has of symbols.",
        discussion: """
            Examples:
              symbolist symbols list --app com.example.orchard
              symbolist symbols missing
              symbolist symbols replace Orchard.xcarchive
              symbolist symbols prune --app com.example.orchard --keep 20
            """,
        subcommands: [List.self, Missing.self, Replace.self, Prune.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Show the debug files that a server has.",
            discussion: """
                Examples:
                  symbolist symbols list --app com.example.orchard --version 1.4.0
                  symbolist symbols list --uuid 4C4C4481-5555-3144-A199-BFCEAE3FE729 --json
                """)

        @OptionGroup var server: ServerOptions

        @Option(help: ArgumentHelp("Only those of an app.", valueName: "id"))
        var app: String?

        @Option(help: ArgumentHelp("Only those of a version.", valueName: "v"))
        var version: String?

        @Option(help: ArgumentHelp("Only those of a build.", valueName: "b"))
        var build: String?

        @Option(help: "Only those of an image.")
        var uuid: String?

        @Flag(help: "Print the server's own answer, which is JSON.")
        var json = false

        func run() async throws {
            try await server.connect().use { connection in
                let answer = try await connection.list(
                    "/v1/symbols",
                    ["app": app, "version": version, "build": build, "uuid": uuid])
                try ServerTable(
                    answer, "files",
                    columns: [
                        ("uuid", "uuid"), ("arch", "arch"), ("name", "name"), ("app", "app"),
                        ("kind", "kind"), ("status", "status"), ("bytes", "bytes"),
                    ]
                ).print(asJSON: json)
            }
        }
    }

    struct Missing: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "missing",
            abstract: "Show the images that diagnostics want and nobody uploaded.",
            discussion: """
                Examples:
                  symbolist symbols missing
                  symbolist symbols missing --scope system --json
                """)

        enum Scope: String, CaseIterable, ExpressibleByArgument {
            case app, system
        }

        @OptionGroup var server: ServerOptions

        @Option(help: "Only images of apps, or only those of the system.")
        var scope: Scope?

        @Flag(help: "Print the server's own answer, which is JSON.")
        var json = false

        func run() async throws {
            try await server.connect().use { connection in
                let answer = try await connection.list(
                    "/v1/missing", ["scope": scope?.rawValue])
                try ServerTable(
                    answer, "missing",
                    columns: [
                        ("uuid", "uuid"), ("arch", "arch"), ("name", "name"),
                        ("versions", "versions"), ("diagnostics", "waiting"),
                        ("last_seen", "last seen"),
                    ]
                ).print(asJSON: json)
            }
        }
    }
}
