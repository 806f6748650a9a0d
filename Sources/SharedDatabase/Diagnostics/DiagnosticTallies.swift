import CallStacks
import Ingest
import PostgreSQL

/// The changes of one write to the counts of groups, versions and hours, so that each row is written
/// once.
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

    private struct GroupVersion: Hashable {
        let group: Group
        let version: String
    }

    private struct Version: Hashable {
        let app: String
        let version: String
        let day: Int32
    }

    private struct Counts: Hashable {
        var diagnostics: Int64 = 0
        var unreadable: Int64 = 0
        var frames: Int64 = 0
        var symbolicated: Int64 = 0

        static func + (left: Self, right: Self) -> Self {
            Self(
                diagnostics: left.diagnostics + right.diagnostics,
                unreadable: left.unreadable + right.unreadable,
                frames: left.frames + right.frames,
                symbolicated: left.symbolicated + right.symbolicated)
        }
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

    private struct Newest {
        let arrival: UnixTime
        let address: RecordAddress

        static func < (left: Self, right: Self) -> Bool {
            left.arrival == right.arrival
                ? left.address < right.address : left.arrival < right.arrival
        }
    }

    private var counts: [Key: Counts] = [:]
    private var hours: [Hour: Int64] = [:]
    /// The newest diagnostic with frames in each image.
    private var images: [Image: Newest] = [:]

    mutating func add(_ diagnostic: DiagnosticRecord) {
        count(diagnostic, 1)
        let group = Self.group(of: diagnostic)
        let newest = Newest(arrival: diagnostic.arrival, address: diagnostic.address)
        for image in diagnostic.appImages {
            images.merge([(Image(group: group, image: image), newest)]) { $0 < $1 ? $1 : $0 }
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
        let count = Counts(
            diagnostics: sign, unreadable: diagnostic.status == .raw ? sign : 0,
            frames: sign * Int64(diagnostic.frameCount),
            symbolicated: sign * Int64(diagnostic.symbolicatedFrameCount))
        counts[key] = counts[key, default: Counts()] + count
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
            try groupStatement(), try changeStatement(lane), try countStatement(lane),
            try versionStatement(lane), try hourStatement(lane), try imageStatement(lane),
        ]
    }

    /// The counts that a write changes, without those that do not change: a row of zeros for a lane
    /// would never be removed.
    private static func changed<Key>(
        _ counts: some Sequence<(key: Key, value: Counts)>
    ) -> [(key: Key, value: Counts)] {
        counts.filter { $0.value != Counts() }
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

    /// Records the versions of groups whose sums are outdated. Rows that exist are locked, so that
    /// they are not removed before the changes are committed.
    private func changeStatement(_ lane: LaneNumber) throws -> Statement {
        let keys = Array(
            Set(counts.keys.map { GroupVersion(group: $0.group, version: $0.version) }))
        return try Statement(
            """
            INSERT INTO group_change SELECT own.id, version, $1::int2
            FROM unnest($2::text[], $3::text[], $4::text[]) AS new (app, fingerprint, version)
            JOIN diagnostic_group own
                ON own.app = new.app AND own.fingerprint = new.fingerprint
            ORDER BY own.id, version
            ON CONFLICT ("group", version, lane) DO UPDATE SET lane = excluded.lane WHERE false
            """,
            [
                .value(lane.rawValue, .int2), .value(keys.map(\.group.app), .array(of: .text)),
                .value(keys.map(\.group.fingerprint), .array(of: .text)),
                .value(keys.map(\.version), .array(of: .text)),
            ])
    }

    private func countStatement(_ lane: LaneNumber) throws -> Statement {
        let rows = Self.changed(counts)
        return try Statement(
            """
            INSERT INTO group_tally
            SELECT own.id, version, day, $1::int2, new.diagnostics, new.unreadable, frames,
                symbolicated
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

    private func versionStatement(_ lane: LaneNumber) throws -> Statement {
        var sums: [Version: Counts] = [:]
        for (key, count) in counts {
            let version = Version(app: key.group.app, version: key.version, day: key.day)
            sums[version] = sums[version, default: Counts()] + count
        }
        let rows = Self.changed(sums)
        return try Statement(
            """
            INSERT INTO version_tally
            SELECT app, version, day, $1::int2, diagnostics, frames, symbolicated
            FROM unnest($2::text[], $3::text[], $4::int4[], $5::int8[], $6::int8[], $7::int8[])
                AS new (app, version, day, diagnostics, frames, symbolicated)
            ORDER BY app, version, day
            ON CONFLICT (app, version, day, lane) DO UPDATE SET
                diagnostics = version_tally.diagnostics + excluded.diagnostics,
                frames = version_tally.frames + excluded.frames,
                symbolicated = version_tally.symbolicated + excluded.symbolicated
            """,
            [
                .value(lane.rawValue, .int2), .value(rows.map(\.key.app), .array(of: .text)),
                .value(rows.map(\.key.version), .array(of: .text)),
                .value(rows.map(\.key.day), .array(of: .int4)),
                .value(rows.map(\.value.diagnostics), .array(of: .int8)),
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
            INSERT INTO group_image SELECT own.id, image, $1::int2, arrival, entry, position
            FROM unnest($2::text[], $3::text[], $4::bytea[], $5::int8[], $6::int8[], $7::int4[])
                AS new (app, fingerprint, image, arrival, entry, position)
            JOIN diagnostic_group own
                ON own.app = new.app AND own.fingerprint = new.fingerprint
            ORDER BY own.id, image
            ON CONFLICT ("group", image, lane) DO UPDATE SET
                arrival = excluded.arrival, entry = excluded.entry, position = excluded.position
            WHERE (excluded.arrival, excluded.entry, excluded.position)
                > (group_image.arrival, group_image.entry, group_image.position)
            """,
            [
                .value(lane.rawValue, .int2),
                .value(rows.map(\.key.group.app), .array(of: .text)),
                .value(rows.map(\.key.group.fingerprint), .array(of: .text)),
                .value(rows.map(\.key.image.bytes), .array(of: .bytea)),
                .value(rows.map(\.value.arrival.rawValue), .array(of: .int8)),
                .value(rows.map(\.value.address.entry), .array(of: .int8)),
                .value(rows.map { Int32(clamping: $0.value.address.position) }, .array(of: .int4)),
            ])
    }
}
