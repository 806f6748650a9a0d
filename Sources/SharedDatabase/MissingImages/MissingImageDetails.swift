import CallStacks
import Ingest
import PostgreSQL

/// The versions and systems of missing images, read for a whole list.
struct MissingImageDetails {
    private struct Version {
        let id: Int64
        let app: String
        let version: String
    }

    private var versions: [Int64: [Version]] = [:]
    private var systems: [Int64: [MissingSystem]] = [:]

    /// - Parameter ids: The numbers of missing images.
    init(of ids: [Int64], _ transaction: Transaction) async throws {
        let numbers = Parameter.value(Set(ids).sorted(), .array(of: .int8))
        let results = try await transaction.execute([
            try Statement(
                """
                SELECT image, id, app, version FROM image_version WHERE image = ANY ($1)
                ORDER BY id
                """, [numbers], limit: .large),
            try Statement(
                """
                SELECT image, os, build, architecture, models, diagnostics FROM missing_system
                WHERE image = ANY ($1)
                """, [numbers], limit: .large),
        ])
        for row in results[0] {
            versions[try row.value(0, .int8), default: []].append(
                Version(
                    id: try row.value(1, .int8), app: try row.value(2, .text),
                    version: try row.value(3, .text)))
        }
        for row in results[1] {
            let system = SystemBuild(
                name: try row.value(1, .text), build: try row.value(2, .text),
                architecture: try row.value(3, .text))
            systems[try row.value(0, .int8), default: []].append(
                MissingSystem(
                    system: system, models: try row.value(4, .array(of: .text)),
                    diagnosticCount: Int(try row.value(5, .int8))))
        }
    }

    /// Returns each version once, in the order in which they were first seen.
    ///
    /// - Parameter app: The app, or `nil` for all apps.
    func versions(of ids: [Int64], app: String?) -> [String] {
        let found = ids.flatMap { versions[$0, default: []] }.sorted { $0.id < $1.id }
        var seen: Set<String> = []
        let distinct = found.filter { version in
            !version.version.isEmpty && (app == nil || version.app == app?.asKey)
                && seen.insert(version.version).inserted
        }
        return distinct.suffix(MissingImageNumbers.versionLimits.app).map(\.version)
    }

    /// Returns the app whose version was first seen last, or `nil` if no app is known.
    func newestApp(of ids: [Int64]) -> String? {
        ids.flatMap { versions[$0, default: []] }.filter { !$0.app.isEmpty }
            .max { $0.id < $1.id }?.app
    }

    /// Returns the systems of an image, those with the most diagnostics first.
    func systems(of ids: [Int64]) -> [MissingSystem] {
        var found: [MissingSystem] = []
        for system in ids.flatMap({ systems[$0, default: []] }) {
            if let place = found.firstIndex(where: { $0.system == system.system }) {
                found[place].add(system.models, diagnosticCount: system.diagnosticCount)
            } else {
                found.append(system)
            }
        }
        found.sort {
            ($1.diagnosticCount, $0.system.build) < ($0.diagnosticCount, $1.system.build)
        }
        return Array(found.prefix(MissingSystem.systemLimit))
    }
}
