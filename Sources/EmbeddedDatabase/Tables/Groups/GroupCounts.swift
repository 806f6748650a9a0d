import CallStacks
import GRDB
import Ingest

/// The changes of one write to the counts of groups, versions and hours, so that each row is
/// written once.
struct GroupCounts {
    struct Key: Hashable, Comparable {
        /// Empty if unknown.
        let app: String
        let fingerprint: String

        static func < (left: Self, right: Self) -> Bool {
            (left.app, left.fingerprint) < (right.app, right.fingerprint)
        }
    }

    /// Numbers of diagnostics and of their frames.
    struct Counts {
        var diagnostics = 0
        var frames = 0
        var symbolicated = 0

        mutating func add(_ diagnostic: CountedDiagnostic, _ sign: Int) {
            diagnostics += sign
            frames += sign * diagnostic.frames
            symbolicated += sign * diagnostic.symbolicated
        }
    }

    /// A version of a group.
    struct Version {
        var counts = Counts()
        /// The added diagnostics.
        var added: DiagnosticRange?
    }

    struct VersionKey: Hashable {
        /// Empty if unknown.
        let app: String
        /// Empty if unknown.
        let version: String
    }

    struct Group {
        var diagnostics = 0
        var unreadable = 0
        /// By version; empty if unknown.
        var versions: [String: Version] = [:]
        var days: [Int64: Int] = [:]
        /// The images of added diagnostics, each with the newest of them.
        var images: [ImageID: RecordAddress] = [:]
        /// The added diagnostics.
        var added: DiagnosticRange?
        /// Whether diagnostics were removed or revised.
        var hasRemoved = false

        /// Adds the values of a diagnostic that is counted already.
        mutating func addValues(of diagnostic: DiagnosticRecord, version: String) {
            added.add(diagnostic)
            versions[version]?.added.add(diagnostic)
            for image in diagnostic.appImages {
                images[image] = max(images[image] ?? diagnostic.address, diagnostic.address)
            }
        }
    }

    /// The diagnostics of an app with the same status that arrived within an hour.
    struct Hour: Hashable {
        let number: Int64
        /// Empty if unknown.
        let app: String
        let status: String
    }

    private(set) var groups: [Key: Group] = [:]
    private(set) var versions: [VersionKey: Counts] = [:]
    private(set) var hours: [Hour: Int] = [:]

    mutating func add(_ diagnostic: DiagnosticRecord) {
        let counted = CountedDiagnostic(diagnostic)
        count(counted, 1)
        groups[counted.group]?.addValues(of: diagnostic, version: counted.version)
    }

    mutating func remove(_ diagnostic: CountedDiagnostic) { count(diagnostic, -1) }

    private mutating func count(_ diagnostic: CountedDiagnostic, _ sign: Int) {
        var group = groups[diagnostic.group, default: Group()]
        group.diagnostics += sign
        group.unreadable += diagnostic.isRaw ? sign : 0
        if sign < 0 { group.hasRemoved = true }
        hours[diagnostic.hour, default: 0] += sign
        group.versions[diagnostic.version, default: Version()].counts.add(diagnostic, sign)
        let version = VersionKey(app: diagnostic.group.app, version: diagnostic.version)
        versions[version, default: Counts()].add(diagnostic, sign)
        group.days[diagnostic.day, default: 0] += sign
        groups[diagnostic.group] = group
    }
}

/// The properties of a diagnostic that its group counts.
struct CountedDiagnostic {
    let group: GroupCounts.Key
    let version: String
    let day: Int64
    let hour: GroupCounts.Hour
    let frames: Int
    let symbolicated: Int

    var isRaw: Bool { hour.status == SymbolicatedDiagnostic.Status.raw.rawValue }

    init(_ diagnostic: DiagnosticRecord) {
        group = GroupCounts.Key(
            app: diagnostic.app ?? "", fingerprint: diagnostic.fingerprint)
        version = diagnostic.version ?? ""
        day = diagnostic.arrival.day
        hour = GroupCounts.Hour(
            number: diagnostic.arrival.rawValue / HourTable.milliseconds, app: group.app,
            status: diagnostic.status.rawValue)
        frames = diagnostic.frameCount
        symbolicated = diagnostic.symbolicatedFrameCount
    }

    /// The columns that ``init(_:)`` of a row reads.
    static let columns = "app, fingerprint, version, arrival, status, frames, symbolicated"

    init(_ row: Row) {
        let arrival: Int64 = row["arrival"]
        group = GroupCounts.Key(app: row["app"] ?? "", fingerprint: row["fingerprint"])
        version = row["version"] ?? ""
        day = UnixTime(rawValue: arrival).day
        hour = GroupCounts.Hour(
            number: arrival / HourTable.milliseconds, app: group.app, status: row["status"])
        frames = row["frames"]
        symbolicated = row["symbolicated"]
    }
}
