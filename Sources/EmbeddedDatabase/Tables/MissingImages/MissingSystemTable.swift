import CallStacks
import GRDB
import Ingest

/// The table of systems whose images diagnostics want, with a few rows per image.
struct MissingSystemTable {
    let db: Database

    init(_ db: Database) { self.db = db }

    /// Counts diagnostics of a system, unless the image already has enough other systems.
    func add(_ system: MissingSystem, to image: Int64) throws {
        let key: StatementArguments = [
            image, system.system.name, system.system.build, system.system.architecture,
        ]
        let known = try db.first(
            """
            SELECT models FROM missing_system
            WHERE image = ? AND os = ? AND build = ? AND architecture = ?
            """, key)
        let models: String = known?[0] ?? ""
        if known == nil, try count(of: image) >= MissingSystem.systemLimit { return }
        var all = MissingSystem(
            system: system.system, models: Self.models(models), diagnosticCount: 0)
        all.add(system.models, diagnosticCount: system.diagnosticCount)
        try db.run(
            """
            INSERT INTO missing_system (image, os, build, architecture, models, diagnostics)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (image, os, build, architecture) DO UPDATE SET
                models = excluded.models, diagnostics = diagnostics + excluded.diagnostics
            """,
            key + [all.models.joined(separator: "\n"), all.diagnosticCount])
    }

    private func count(of image: Int64) throws -> Int {
        try db.first("SELECT count(*) FROM missing_system WHERE image = ?", [image])?[0] ?? 0
    }

    /// Returns the systems of an image, those with the most diagnostics first.
    ///
    /// - Parameter ids: The numbers of its rows, separated by commas.
    func systems(of ids: String) throws -> [MissingSystem] {
        var systems: [MissingSystem] = []
        for id in ids.split(separator: ",").compactMap({ Int64($0) }) {
            let rows = try db.all(
                """
                SELECT os, build, architecture, models, diagnostics FROM missing_system
                WHERE image = ?
                """, [id])
            for row in rows { Self.add(row, to: &systems) }
        }
        systems.sort {
            ($1.diagnosticCount, $0.system.build) < ($0.diagnosticCount, $1.system.build)
        }
        return Array(systems.prefix(MissingSystem.systemLimit))
    }

    private static func add(_ row: Row, to systems: inout [MissingSystem]) {
        let system = SystemBuild(name: row[0], build: row[1], architecture: row[2])
        let index = systems.firstIndex { $0.system == system } ?? systems.count
        if index == systems.count {
            systems.append(MissingSystem(system: system, models: [], diagnosticCount: 0))
        }
        systems[index].add(models(row[3]), diagnosticCount: row[4])
    }

    private static func models(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }
}
