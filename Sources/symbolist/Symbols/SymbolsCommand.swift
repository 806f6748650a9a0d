import ArgumentParser
import CallStacks
import JSONText
import ServiceClient

/// `symbolist symbols`: lists, replaces and removes symbols on a server.
struct SymbolsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "symbols",
        abstract: "List, replace or remove symbols on a server.",
        discussion: """
            Examples:
              symbolist symbols list --app com.example.Orchard
              symbolist symbols missing
              symbolist symbols replace Orchard.xcarchive
              symbolist symbols prune --app com.example.Orchard --keep 20
              symbolist symbols prune --system 22B83
            """,
        subcommands: [List.self, Missing.self, Replace.self, Prune.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the debug files on a server.",
            discussion: """
                Examples:
                  symbolist symbols list --app com.example.Orchard --version 1.4.0
                  symbolist symbols list --uuid 4C4C4481-5555-3144-A199-BFCEAE3FE729 --json
                """)

        @OptionGroup var server: ServerOptions

        @Option(help: ArgumentHelp("List only files of this app.", valueName: "id"))
        var app: String?

        @Option(help: ArgumentHelp("List only files of this version.", valueName: "v"))
        var version: String?

        @Option(help: ArgumentHelp("List only files of this build.", valueName: "b"))
        var build: String?

        @Option(help: "List only files of this image.")
        var uuid: String?

        @Flag(help: "Print the JSON response of the server.")
        var json = false

        func validate() throws {
            if let uuid, ImageID(uuid) == nil {
                throw ValidationError("'\(uuid)' is not a UUID or build ID")
            }
        }

        func run() async throws {
            try await server.connect().use { connection in
                let response = try await connection.list(
                    "/v1/symbols",
                    query: ["app": app, "version": version, "build": build, "uuid": uuid])
                try JSONListTable(
                    response, list: "files",
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
            abstract: "List images of diagnostics whose symbols are not uploaded.",
            discussion: """
                Examples:
                  symbolist symbols missing
                  symbolist symbols missing --scope system --json
                  symbolist symbols missing --builds
                """)

        enum Scope: String, CaseIterable, ExpressibleByArgument {
            case app, system
        }

        @OptionGroup var server: ServerOptions

        @Option(help: "List only images of apps, or only system images.")
        var scope: Scope?

        @Flag(help: "List the builds that have diagnostics and lack symbols, instead of images.")
        var builds = false

        @Flag(help: "Print the JSON response of the server.")
        var json = false

        func validate() throws {
            if builds, scope != nil {
                throw ValidationError("--builds and --scope exclude each other: pass one")
            }
        }

        func run() async throws {
            try await server.connect().use { connection in
                if builds { return try await listBuilds(connection) }
                let response = try await connection.list(
                    "/v1/missing", query: ["scope": scope?.rawValue])
                try JSONListTable(
                    response, list: "missing",
                    columns: [
                        ("uuid", "uuid"), ("arch", "arch"), ("name", "name"),
                        ("versions", "versions"), ("diagnostics", "waiting"),
                        ("last_seen", "last seen"),
                    ]
                ).print(asJSON: json)
            }
        }

        private func listBuilds(_ connection: ServerConnection) async throws {
            let response = try await connection.list("/v1/builds", query: ["complete": "false"])
            try JSONListTable(
                response, list: "builds",
                columns: [
                    ("app", "app"), ("version", "version"), ("missing_images", "images"),
                    ("diagnostics", "waiting"), ("last_seen", "last seen"),
                ]
            ).print(asJSON: json)
        }
    }
}
