import ArgumentParser
import CallStacks
import JSONText
import SymbolUpload

extension SymbolsCommand {
    /// `symbolist symbols prune`: removes images, one build, or all but the last builds of an app.
    struct Prune: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prune",
            abstract: "Remove debug files from a server.",
            discussion: """
                Removes the images that are given, the build that is given, or with --keep all \
                builds of an app but the last ones. What another build has too stays.

                Examples:
                  symbolist symbols prune --app com.example.orchard --keep 20 --dry-run
                  symbolist symbols prune 4C4C4481-5555-3144-A199-BFCEAE3FE729
                """)

        @Argument(help: ArgumentHelp("Images to remove.", valueName: "uuid"))
        var images: [String] = []

        @OptionGroup var server: ServerOptions

        @Option(help: ArgumentHelp("The app whose builds are removed.", valueName: "id"))
        var app: String?

        @Option(help: ArgumentHelp("The version of the build to remove.", valueName: "v"))
        var version: String?

        @Option(help: ArgumentHelp("The build to remove.", valueName: "b"))
        var build: String?

        @Option(help: ArgumentHelp("How many builds of the app stay.", valueName: "n"))
        var keep: Int?

        @Flag(help: "Say what would be removed, and remove nothing.")
        var dryRun = false

        func validate() throws {
            if let wrong = images.first(where: { ImageID($0) == nil }) {
                throw ValidationError("'\(wrong)' is no UUID or build id")
            }
            if let keep, keep < 0 {
                throw ValidationError("'\(keep)' is no number of builds")
            }
            let isBuild = app != nil && version != nil && build != nil && keep == nil
            let isRest = app != nil && version == nil && build == nil && keep != nil
            let isNone = app == nil && version == nil && build == nil && keep == nil
            guard isBuild || isRest || isNone && !images.isEmpty else {
                throw ValidationError(
                    "give UUIDs, or --app with --version and --build, or --app with --keep")
            }
        }

        func run() async throws {
            try await server.connect().use { connection in
                var foundAny = false
                for image in images.compactMap({ ImageID($0) }) {
                    let isThere = dryRun ? true : try await connection.remove(image)
                    tell("image \(image)", isThere)
                    foundAny = foundAny || isThere
                }
                for build in try await builds(connection) {
                    let isThere = dryRun ? true : try await connection.remove(build)
                    tell("\(build.app) \(build.version) (\(build.build))", isThere)
                    foundAny = foundAny || isThere
                }
                if !foundAny { throw Outcome.nothingFound }
            }
        }

        private func tell(_ what: String, _ isThere: Bool) {
            if isThere {
                Console.result("\(dryRun ? "would remove" : "removed")  \(what)\n")
            } else {
                Console.problem("\(what): is not on the server")
            }
        }

        private func builds(_ connection: ServerConnection) async throws -> [Build] {
            guard let app else { return [] }
            if let version, let build {
                return [Build(app: app, version: version, build: build)]
            }
            let answer = try await connection.list("/v1/builds", ["app": app])
            let builds = (answer.root?["builds"]?.elements.map(\.self) ?? []).compactMap(
                ListedBuild.init)
            let ofApp = builds.filter { $0.name.app == app }.sorted {
                $0.lastUpload > $1.lastUpload
            }
            return ofApp.dropFirst(keep ?? ofApp.count).map(\.name)
        }
    }
}

/// A build as `GET /v1/builds` lists it.
private struct ListedBuild {
    let name: Build
    /// A date as texts sort: ISO 8601.
    let lastUpload: String

    init?(_ json: JSONValue) {
        guard let app = json["app"]?.string, let version = json["version"]?.string,
            let build = json["build"]?.string, let lastUpload = json["last_upload"]?.string
        else { return nil }
        name = Build(app: app, version: version, build: build)
        self.lastUpload = lastUpload
    }
}
