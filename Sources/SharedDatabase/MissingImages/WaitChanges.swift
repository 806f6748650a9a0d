import CallStacks
import Ingest
import PostgreSQL

/// The changes of one write to the diagnostics that wait for images.
struct WaitChanges {
    private struct Tally: Hashable {
        let image: Int64
        /// The app of the diagnostic; empty if unknown.
        let app: String
        let day: Int32
    }

    private struct List: Hashable {
        let image: Int64
        let day: Int32
    }

    private var tallies: [Tally: (waiting: Int64, frames: Int64)] = [:]
    private var lists: [List: [RecordAddress]] = [:]

    /// The images whose number of waiting diagnostics has decreased for an app and a day.
    var decreased: [Int64] {
        Set(tallies.filter { $0.value.waiting < 0 }.map(\.key.image)).sorted()
    }

    /// Adds the images that a diagnostic waits for.
    ///
    /// - Parameter last: The images for which it already waits, and whose frames are already
    ///   counted.
    mutating func add(
        _ item: DiagnosticColumns.Item, except last: WantedImageList = WantedImageList()
    ) {
        let app = item.diagnostic.app?.asKey ?? ""
        let known = last.images
        for wanted in item.wanted.items {
            let isNew = !known.contains(wanted.image)
            count(
                Tally(image: wanted.image, app: app, day: item.day), 1,
                frames: isNew ? wanted.frameCount : 0)
            guard isNew else { continue }
            lists[List(image: wanted.image, day: item.day), default: []]
                .append(item.diagnostic.address)
        }
    }

    /// Removes the images that a stored diagnostic waits for.
    mutating func remove(_ stored: StoredDiagnostic) {
        for wanted in stored.wanted.items {
            remove(wanted.image, app: stored.diagnostic.app, day: stored.day)
        }
    }

    /// Removes one image from those that a diagnostic waits for.
    mutating func remove(_ image: Int64, app: String?, day: Int32) {
        count(Tally(image: image, app: app ?? "", day: day), -1, frames: 0)
    }

    private mutating func count(_ tally: Tally, _ waiting: Int64, frames: Int) {
        var count = tallies[tally] ?? (0, 0)
        count.waiting += waiting
        count.frames += Int64(frames)
        tallies[tally] = count
    }

    /// The statements that apply the changes, with rows in the order of their keys.
    func statements(in lane: LaneNumber) throws -> [Statement] {
        [try listStatement(), try tallyStatement(in: lane), try awakeningStatement()]
    }

    private func listStatement() throws -> Statement {
        let lists = Array(lists)
        return try Statement(
            """
            INSERT INTO wait (day, image, addresses)
            SELECT * FROM unnest($1::int4[], $2::int8[], $3::bytea[])
            """,
            [
                .value(lists.map(\.key.day), .array(of: .int4)),
                .value(lists.map(\.key.image), .array(of: .int8)),
                .value(lists.map { PostingList($0.value).bytes }, .array(of: .bytea)),
            ])
    }

    private func tallyStatement(in lane: LaneNumber) throws -> Statement {
        let tallies = tallies.filter { $0.value != (0, 0) }
        return try Statement(
            """
            INSERT INTO missing_tally SELECT image, app, day, $1::int2, waiting, frames
            FROM unnest($2::int8[], $3::text[], $4::int4[], $5::int8[], $6::int8[])
                AS new (image, app, day, waiting, frames) ORDER BY image, app, day
            ON CONFLICT (image, app, day, lane) DO UPDATE SET
                waiting = missing_tally.waiting + excluded.waiting,
                frames = missing_tally.frames + excluded.frames
            """,
            [
                .value(lane.rawValue, .int2),
                .value(tallies.map(\.key.image), .array(of: .int8)),
                .value(tallies.map(\.key.app), .array(of: .text)),
                .value(tallies.map(\.key.day), .array(of: .int4)),
                .value(tallies.map(\.value.waiting), .array(of: .int8)),
                .value(tallies.map(\.value.frames), .array(of: .int8)),
            ])
    }

    /// An image that no diagnostic waits for no longer has to mark any.
    private func awakeningStatement() throws -> Statement {
        try Statement(
            """
            DELETE FROM awakening a WHERE image = ANY ($1) AND (
                SELECT coalesce(sum(waiting), 0) FROM missing_tally t WHERE t.image = a.image
            ) <= 0
            """, [.value(decreased, .array(of: .int8))])
    }
}
