import Decompression
import Ingest
import PostgreSQL
import Problems

extension JournalError {
    /// - Parameter error: An error of this module or of the client of PostgreSQL.
    init(_ error: any Error) {
        switch error {
        case let error as JournalError: self = error
        case let error as DatabaseError: self.init(error)
        case let error as PackedBodyError: self.init(error)
        default: self.init(.other, Problem(error))
        }
    }

    private init(_ error: DatabaseError) {
        switch error {
        case .closed:
            self.init(
                .closed,
                Problem(
                    "database", detail: "is closed", suggestion: "start the service again"))
        case .unexpectedType, .invalidValue: self.init(.damaged, error.problem)
        case .server(let server): self.init(Self.reason(server), error.problem)
        default: self.init(.other, error.problem)
        }
    }

    /// The codes are in the appendix "PostgreSQL Error Codes" of the manual.
    private static func reason(_ error: ServerError) -> Reason {
        switch error.sqlState {
        case "53100": .full
        case "XX001", "XX002": .damaged
        default: .other
        }
    }

    private init(_ error: PackedBodyError) {
        switch error {
        case .tooLarge(let size):
            self.init(
                .other,
                Problem(
                    "journal",
                    detail: "a body of \(size) bytes is larger than \(PackedBody.sizeLimit)",
                    suggestion: "split it"))
        case .damaged(let detail): self = .damage("a body \(detail)")
        }
    }

    /// A row that this program cannot have written.
    static func damage(_ row: String) -> Self {
        Self(
            .damaged,
            Problem(
                "database", detail: "\(row) is damaged",
                suggestion: "restore the database from a backup"))
    }

    /// An error for an entry whose signal or form this version does not support.
    static func unreadable(_ number: Int64) -> Self {
        let lane = LaneNumber(ofEntry: number)
        return Self(
            .unreadable,
            Problem(
                "database",
                detail:
                    "entry \(number - lane.start) of lane \(lane.rawValue) is of a later version",
                suggestion: "install a later version of symbolist"))
    }

    /// An append that the database has not confirmed in time.
    static func late(after limit: Duration) -> Self {
        Self(
            .other,
            Problem(
                "database",
                detail: "has not stored the request within \(limit.components.seconds) s",
                suggestion: "send the request again, and check the load of the database"))
    }

    /// An error for a lane that another node has claimed, or that was released.
    static func lost(_ lane: LaneNumber) -> Self {
        Self(
            .closed,
            Problem(
                "journal", detail: "lane \(lane.rawValue) belongs to another node",
                suggestion: "send the request again"))
    }
}
