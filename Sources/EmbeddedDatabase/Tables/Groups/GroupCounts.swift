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

    /// The address and the arrival of an added diagnostic.
    struct Arrival {
        let address: RecordAddress
        let milliseconds: Int64

        init(_ diagnostic: DiagnosticRecord) {
            address = diagnostic.address
            milliseconds = diagnostic.arrival.rawValue
        }
    }

    /// The oldest and the newest of some added diagnostics.
    struct Period {
        private(set) var oldest: Arrival
        private(set) var newest: Arrival

        /// - Parameter period: The period of the others, or `nil` if there are none.
        init(_ period: Self?, adding diagnostic: DiagnosticRecord) {
            let arrival = Arrival(diagnostic)
            oldest = arrival
            newest = arrival
            guard let period else { return }
            if period.oldest.address < arrival.address { oldest = period.oldest }
            if arrival.address < period.newest.address { newest = period.newest }
        }
    }

    struct Version {
        var diagnostics = 0
        var frames = 0
        var symbolicated = 0
        /// That of added diagnostics.
        var period: Period?

        mutating func add(_ diagnostic: CountedDiagnostic, _ sign: Int) {
            diagnostics += sign
            frames += sign * diagnostic.frames
            symbolicated += sign * diagnostic.symbolicated
        }
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
        /// The period of added diagnostics.
        var period: Period?
        /// The newest added diagnostic.
        var newest: DiagnosticRecord?
        var hasRemovals = false

        mutating func add(_ diagnostic: DiagnosticRecord, of version: String) {
            images.merge(diagnostic.appImages.map { ($0, diagnostic.address) }) {
                $0 < $1 ? $1 : $0
            }
            self.period = Period(self.period, adding: diagnostic)
            let period = Period(versions[version]?.period, adding: diagnostic)
            versions[version]?.period = period
            if newest.map({ $0.address < diagnostic.address }) != false { newest = diagnostic }
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
    private(set) var versions: [VersionKey: Version] = [:]
    private(set) var hours: [Hour: Int] = [:]

    mutating func add(_ diagnostic: DiagnosticRecord) {
        let counted = CountedDiagnostic(diagnostic)
        count(counted, 1)
        groups[counted.group]?.add(diagnostic, of: counted.version)
    }

    mutating func remove(_ diagnostic: CountedDiagnostic) {
        count(diagnostic, -1)
        groups[diagnostic.group]?.hasRemovals = true
    }

    private mutating func count(_ diagnostic: CountedDiagnostic, _ sign: Int) {
        var group = groups[diagnostic.group, default: Group()]
        group.diagnostics += sign
        group.unreadable += diagnostic.isRaw ? sign : 0
        hours[diagnostic.hour, default: 0] += sign
        group.versions[diagnostic.version, default: Version()].add(diagnostic, sign)
        let version = VersionKey(app: diagnostic.group.app, version: diagnostic.version)
        versions[version, default: Version()].add(diagnostic, sign)
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
        day = diagnostic.arrival.rawValue / GroupDay.milliseconds
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
        day = arrival / GroupDay.milliseconds
        hour = GroupCounts.Hour(
            number: arrival / HourTable.milliseconds, app: group.app, status: row["status"])
        frames = row["frames"]
        symbolicated = row["symbolicated"]
    }
}
