import CallStacks
import Ingest
import PostgreSQL

/// The changes of one write to the counts of groups and hours, so that each row is written once.
struct DiagnosticTallies {
    struct Group: Hashable {
        /// Empty if unknown.
        let app: String
        let fingerprint: String
    }

    private struct Key: Hashable {
        let group: Group
        /// Empty if unknown.
        let version: String
        let day: Int32
    }

    private struct Counts {
        var diagnostics: Int64 = 0
        var unreadable: Int64 = 0
        var frames: Int64 = 0
        var symbolicated: Int64 = 0
    }

    private struct Hour: Hashable {
        let number: Int32
        let app: String
        let status: String
    }

    private struct Image: Hashable {
        let group: Group
        let image: ImageID
    }

    private var counts: [Key: Counts] = [:]
    private var hours: [Hour: Int64] = [:]
    /// The newest diagnostic with frames in each image.
    private var images: [Image: RecordAddress] = [:]

    mutating func add(_ diagnostic: DiagnosticRecord) {
        count(diagnostic, 1)
        let group = Self.group(of: diagnostic)
        for image in diagnostic.appImages {
            let last = images[Image(group: group, image: image)] ?? diagnostic.address
            images[Image(group: group, image: image)] =
                last < diagnostic.address ? diagnostic.address : last
        }
    }

    mutating func remove(_ diagnostic: DiagnosticRecord) { count(diagnostic, -1) }

    private static func group(of diagnostic: DiagnosticRecord) -> Group {
        Group(app: diagnostic.app?.asKey ?? "", fingerprint: diagnostic.fingerprint.asKey)
    }

    private mutating func count(_ diagnostic: DiagnosticRecord, _ sign: Int64) {
        let group = Self.group(of: diagnostic)
        let key = Key(
            group: group, version: diagnostic.version?.asKey ?? "",
            day: DayPartitions.day(of: diagnostic.arrival))
        counts[key, default: Counts()].diagnostics += sign
        counts[key, default: Counts()].unreadable += diagnostic.status == .raw ? sign : 0
        counts[key, default: Counts()].frames += sign * Int64(diagnostic.frameCount)
        counts[key, default: Counts()].symbolicated +=
            sign * Int64(diagnostic.symbolicatedFrameCount)
        let hour = Hour(
            number: Int32(clamping: max(diagnostic.arrival.rawValue, 0) / 3_600_000),
            app: group.app, status: diagnostic.status.rawValue)
        hours[hour, default: 0] += sign
    }

    /// The statements that apply the changes. Rows are in the order of their keys, so that nodes
    /// do not deadlock.
    func statements(in lane: LaneNumber) throws -> [Statement] {
        guard !counts.isEmpty else { return [] }
        return [
            try groupStatement(), try countStatement(lane), try hourStatement(lane),
            try imageStatement(lane),
        ]
    }

    private func groupStatement() throws -> Statement {
        let groups = Array(Set(counts.keys.map(\.group)))
        return try Statement(
            """
            INSERT INTO diagnostic_group (app, fingerprint)
            SELECT app, fingerprint FROM unnest($1::text[], $2::text[]) AS new (app, fingerprint)
            WHERE NOT EXISTS (
                SELECT 1 FROM diagnostic_group old
                WHERE old.app = new.app AND old.fingerprint = new.fingerprint)
            ORDER BY fingerprint, app ON CONFLICT DO NOTHING
            """,
            [
                .value(groups.map(\.app), .array(of: .text)),
                .value(groups.map(\.fingerprint), .array(of: .text)),
            ])
    }

    private func countStatement(_ lane: LaneNumber) throws -> Statement {
        let rows = Array(counts)
        return try Statement(
            """
            INSERT INTO group_tally
            SELECT own.id, version, day, $1::int2, diagnostics, unreadable, frames, symbolicated
            FROM unnest($2::text[], $3::text[], $4::text[], $5::int4[], $6::int8[], $7::int8[],
                $8::int8[], $9::int8[]) AS new (
                    app, fingerprint, version, day, diagnostics, unreadable, frames, symbolicated)
            JOIN diagnostic_group own
                ON own.app = new.app AND own.fingerprint = new.fingerprint
            ORDER BY own.id, version, day
            ON CONFLICT ("group", version, day, lane) DO UPDATE SET
                diagnostics = group_tally.diagnostics + excluded.diagnostics,
                unreadable = group_tally.unreadable + excluded.unreadable,
                frames = group_tally.frames + excluded.frames,
                symbolicated = group_tally.symbolicated + excluded.symbolicated
            """,
            [
                .value(lane.rawValue, .int2),
                .value(rows.map(\.key.group.app), .array(of: .text)),
                .value(rows.map(\.key.group.fingerprint), .array(of: .text)),
                .value(rows.map(\.key.version), .array(of: .text)),
                .value(rows.map(\.key.day), .array(of: .int4)),
                .value(rows.map(\.value.diagnostics), .array(of: .int8)),
                .value(rows.map(\.value.unreadable), .array(of: .int8)),
                .value(rows.map(\.value.frames), .array(of: .int8)),
                .value(rows.map(\.value.symbolicated), .array(of: .int8)),
            ])
    }

    private func hourStatement(_ lane: LaneNumber) throws -> Statement {
        let rows = hours.filter { $0.value != 0 }
        return try Statement(
            """
            INSERT INTO hour_tally SELECT hour, app, status, $1::int2, diagnostics
            FROM unnest($2::int4[], $3::text[], $4::text[], $5::int8[])
                AS new (hour, app, status, diagnostics) ORDER BY hour, app, status
            ON CONFLICT (hour, app, status, lane) DO UPDATE SET
                diagnostics = hour_tally.diagnostics + excluded.diagnostics
            """,
            [
                .value(lane.rawValue, .int2), .value(rows.map(\.key.number), .array(of: .int4)),
                .value(rows.map(\.key.app), .array(of: .text)),
                .value(rows.map(\.key.status), .array(of: .text)),
                .value(rows.map(\.value), .array(of: .int8)),
            ])
    }

    private func imageStatement(_ lane: LaneNumber) throws -> Statement {
        let rows = Array(images)
        return try Statement(
            """
            INSERT INTO group_image SELECT own.id, image, $1::int2, entry, position
            FROM unnest($2::text[], $3::text[], $4::bytea[], $5::int8[], $6::int4[])
                AS new (app, fingerprint, image, entry, position)
            JOIN diagnostic_group own
                ON own.app = new.app AND own.fingerprint = new.fingerprint
            ORDER BY own.id, image
            ON CONFLICT ("group", image, lane) DO UPDATE SET
                entry = excluded.entry, position = excluded.position
            WHERE (excluded.entry, excluded.position) > (group_image.entry, group_image.position)
            """,
            [
                .value(lane.rawValue, .int2),
                .value(rows.map(\.key.group.app), .array(of: .text)),
                .value(rows.map(\.key.group.fingerprint), .array(of: .text)),
                .value(rows.map(\.key.image.bytes), .array(of: .bytea)),
                .value(rows.map(\.value.entry), .array(of: .int8)),
                .value(rows.map { Int32(clamping: $0.value.position) }, .array(of: .int4)),
            ])
    }
}
