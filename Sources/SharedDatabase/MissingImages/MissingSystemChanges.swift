import CallStacks
import Ingest
import PostgreSQL

/// The systems that missing images belong to, as stated by the diagnostics of one write.
enum MissingSystemChanges {
    /// Counts diagnostics by system, unless the image already has enough other systems in the lane.
    static func statement(
        _ images: [ImageWaits.Image], _ numbers: [Int64], in lane: LaneNumber
    ) throws -> Statement? {
        let rows = joined(images, numbers)
        guard !rows.isEmpty else { return nil }
        return try Statement(
            """
            INSERT INTO missing_system AS old
            SELECT image, $1::int2, os, build, architecture, coalesce(models, '{}'), diagnostics
            FROM unnest($2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int8[])
                AS new (image, os, build, architecture, models_text, diagnostics),
                LATERAL (SELECT string_to_array(nullif(models_text, ''), chr(10))) AS m (models)
            WHERE (SELECT count(*) FROM missing_system s WHERE s.image = new.image AND s.lane = $1)
                    < \(MissingSystem.systemLimit)
                OR EXISTS (
                    SELECT 1 FROM missing_system s WHERE s.image = new.image AND s.lane = $1
                        AND s.os = new.os AND s.build = new.build
                        AND s.architecture = new.architecture)
            ORDER BY image, os, build, architecture
            ON CONFLICT (image, lane, os, build, architecture) DO UPDATE SET
                models = (SELECT coalesce(array_agg(model ORDER BY position), '{}') FROM (
                    SELECT model, min(position) AS position
                    FROM unnest(old.models || excluded.models)
                        WITH ORDINALITY AS all_models (model, position)
                    GROUP BY model ORDER BY min(position) LIMIT \(MissingSystem.modelLimit)) few),
                diagnostics = old.diagnostics + excluded.diagnostics
            """, parameters(rows, in: lane))
    }

    /// The parameters of a statement with systems of images: the lane, and the columns of the rows.
    static func parameters(
        _ rows: [(image: Int64, system: MissingSystem)], in lane: LaneNumber
    ) -> [Parameter] {
        [
            .value(lane.rawValue, .int2), .value(rows.map(\.image), .array(of: .int8)),
            .value(rows.map(\.system.system.name.asKey), .array(of: .text)),
            .value(rows.map(\.system.system.build.asKey), .array(of: .text)),
            .value(rows.map(\.system.system.architecture.asKey), .array(of: .text)),
            .value(
                rows.map { $0.system.models.joined(separator: "\n").withoutNUL },
                .array(of: .text)),
            .value(rows.map { Int64($0.system.diagnosticCount) }, .array(of: .int8)),
        ]
    }

    private struct Key: Hashable {
        let image: Int64
        let system: SystemBuild
    }

    /// Returns the systems with their names in stored form, merged so that each occurs once per
    /// image.
    private static func joined(
        _ images: [ImageWaits.Image], _ numbers: [Int64]
    ) -> [(image: Int64, system: MissingSystem)] {
        var systems: [Key: MissingSystem] = [:]
        for (image, id) in zip(images, numbers) {
            for system in image.systems {
                let stored = SystemBuild(
                    name: system.system.name.asKey, build: system.system.build.asKey,
                    architecture: system.system.architecture.asKey)
                let none = MissingSystem(system: stored, models: [], diagnosticCount: 0)
                systems[Key(image: id, system: stored), default: none]
                    .add(system.models, diagnosticCount: system.diagnosticCount)
            }
        }
        return systems.map { ($0.key.image, $0.value) }
    }
}
