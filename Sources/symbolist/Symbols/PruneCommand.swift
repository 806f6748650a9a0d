import ArgumentParser
import CallStacks
import JSONText
import ServiceClient
import StackRendering

extension SymbolsCommand {
    /// `symbolist symbols prune`: removes images, one build, all but the latest builds of an app,
    /// or a system.
    struct Prune: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prune",
            abstract: "Remove debug files from a server.",
            discussion: """
                Removes the given images, the given build, or with --keep all but the latest builds \
                of an app. Files that another build uses are kept. --system removes the images of \
                one of Apple's systems that belong to no other stored system.

                Examples:
                  symbolist symbols prune --app com.example.Orchard --keep 20 --dry-run
                  symbolist symbols prune --system 22B83
                  symbolist symbols prune 4C4C4481-5555-3144-A199-BFCEAE3FE729
                """)

        @Argument(help: ArgumentHelp("The images to remove.", valueName: "uuid"))
        var images: [String] = []

        @OptionGroup var server: ServerOptions

        @Option(help: ArgumentHelp("The app whose builds to remove.", valueName: "id"))
        var app: String?

        @Option(help: ArgumentHelp("The version of the build to remove.", valueName: "v"))
        var version: String?

        @Option(help: ArgumentHelp("The build to remove.", valueName: "b"))
        var build: String?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The number of latest builds to keep.", valueName: "n"))
        var keep: Int?

        @Option(
            help: ArgumentHelp(
                "Remove the system images of this OS build, such as 22B83.", valueName: "build"))
        var system: String?

        @Flag(help: "Print what would be removed, but remove nothing.")
        var dryRun = false

        func validate() throws {
            if let wrong = images.first(where: { ImageID($0) == nil }) {
                throw ValidationError("'\(wrong)' is not a UUID or build ID")
            }
            if let keep, keep < 0 {
                throw ValidationError("'\(keep)' is not a number of builds of 0 or more")
            }
            if let system, !SystemBuild.isBuild(system) {
                throw ValidationError("'\(system)' is not an OS build such as 22B83")
            }
            let isBuild = app != nil && version != nil && build != nil && keep == nil
            let isRest = app != nil && version == nil && build == nil && keep != nil
            let isNone = app == nil && version == nil && build == nil && keep == nil
            guard isBuild || isRest || isNone && (!images.isEmpty || system != nil) else {
                throw ValidationError(
                    "missing selection: use UUIDs, --app with --version and --build, --app with "
                        + "--keep, or --system")
            }
        }

        func run() async throws {
            try await server.connect().use { connection in
                var foundAny = false
                for image in images.compactMap({ ImageID($0) }) {
                    let isThere =
                        dryRun
                        ? try await connection.hasSymbols(of: image)
                        : try await connection.remove(image)
                    report("image \(image)", wasFound: isThere)
                    foundAny = foundAny || isThere
                }
                let builds = try await builds(connection)
                if let app, let keep, builds.isEmpty {
                    Console.problem("\(app): no more than \(counted(keep, "build")) on the server")
                }
                for build in builds {
                    let isThere =
                        dryRun
                        ? try await exists(build, connection: connection)
                        : try await connection.remove(build)
                    report("\(build.app) \(build.version) (\(build.build))", wasFound: isThere)
                    foundAny = foundAny || isThere
                }
                if let system {
                    let isThere = try await remove(system: system, connection: connection)
                    report("system \(system)", wasFound: isThere)
                    foundAny = foundAny || isThere
                }
                if !foundAny { throw Outcome.nothingFound }
            }
        }

        private func remove(
            system build: String, connection: ServerConnection
        ) async throws -> Bool {
            guard dryRun else { return try await connection.removeSystem(build: build) }
            let response = try await connection.list("/v1/systems")
            return response.root?["systems"]?.elements.contains { $0["build"]?.string == build }
                ?? false
        }

        private func exists(_ build: Build, connection: ServerConnection) async throws -> Bool {
            // With --keep, the builds are from the server's list.
            if keep != nil { return true }
            return try await listedBuilds(of: build.app, connection).contains { $0.name == build }
        }

        private func report(_ what: String, wasFound: Bool) {
            if wasFound {
                let line = "\(dryRun ? "would remove" : "removed")  \(what)"
                Console.result(Console.oneLine(line) + "\n")
            } else {
                Console.problem("\(what): not on the server")
            }
        }

        private func builds(_ connection: ServerConnection) async throws -> [Build] {
            guard let app else { return [] }
            if let version, let build {
                return [Build(app: app, version: version, build: build)]
            }
            let ofApp = try await listedBuilds(of: app, connection).sorted {
                $0.lastUpload > $1.lastUpload
            }
            return ofApp.dropFirst(keep ?? ofApp.count).map(\.name)
        }

        private func listedBuilds(
            of app: String, _ connection: ServerConnection
        ) async throws -> [ListedBuild] {
            let response = try await connection.list("/v1/builds", query: ["app": app])
            let builds = response.root?["builds"]?.elements.compactMap(ListedBuild.init) ?? []
            return builds.filter { $0.name.app == app }
        }
    }
}

/// An element of the response of `GET /v1/builds`.
private struct ListedBuild {
    let name: Build
    /// The time in ISO 8601, which sorts as text.
    let lastUpload: String

    init?(_ json: JSONValue) {
        guard let app = json["app"]?.string, let version = json["version"]?.string,
            let build = json["build"]?.string, let lastUpload = json["last_upload"]?.string
        else { return nil }
        name = Build(app: app, version: version, build: build)
        self.lastUpload = lastUpload
    }
}
