import GRDB
import Ingest
import SymbolIntake

/// Why the database could not do what it was asked, before it is said which port was asked.
struct DatabaseProblem: Error, Equatable {
    var reason: JournalError.Reason
    /// What happened, and the next step.
    var text: String

    /// What no other reason fits.
    static func refusal(_ text: String) -> Self { Self(reason: .other, text: text) }

    /// Rows that the database itself cannot have written.
    static func damage(_ what: String) -> Self {
        Self(reason: .damaged, text: "\(what) is damaged: restore the file from a backup")
    }

    static func full(_ folder: String) -> Self {
        Self(reason: .full, text: "disk is full: free some space in '\(folder)'")
    }

    static let overtaken = Self(
        reason: .overtaken, text: "a diagnostic was revised meanwhile: work on its entry again")

    static let closed = Self(reason: .closed, text: "is closed: start the service again")

    init(reason: JournalError.Reason, text: String) {
        self.reason = reason
        self.text = text
    }

    /// - Parameter folder: The data folder, which the next step names.
    init(_ error: any Error, in folder: String) {
        if let problem = error as? Self {
            self = problem
        } else if let error = error as? DatabaseError {
            self.init(error, in: folder)
        } else {
            self.init(reason: .other, text: "\(error)")
        }
    }

    private init(_ error: DatabaseError, in folder: String) {
        let said = error.message ?? "SQLite code \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL:
            self = .full(folder)
        // The index of the write-ahead log is a file too, and could not grow.
        case _ where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE: self = .full(folder)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self.init(
                reason: .damaged,
                text: "file in '\(folder)' is damaged (\(said)): restore it or move it away")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                reason: .other,
                text: "another program holds the file in '\(folder)': end that program")
        case .SQLITE_IOERR:
            self.init(
                reason: .other,
                text: "disk of '\(folder)' refuses (\(said)): look into the system's log")
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
            self.init(
                reason: .other,
                text: "file in '\(folder)' cannot be written (\(said)): change its permissions")
        default:
            self.init(reason: .other, text: said)
        }
    }
}

extension JournalError {
    init(_ problem: DatabaseProblem) { self.init(problem.reason, "journal: \(problem.text)") }
}

extension CatalogueError {
    init(_ problem: DatabaseProblem) {
        self.init("catalogue: \(problem.text)", isFull: problem.reason == .full)
    }
}
