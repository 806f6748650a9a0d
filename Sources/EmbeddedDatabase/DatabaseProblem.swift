import GRDB
import Ingest
import Problems
import SymbolIntake

/// A failure of the database, before it becomes an error of one of the ports.
struct DatabaseProblem: Error, Equatable {
    var reason: JournalError.Reason
    /// The problem, to which the port adds a subject.
    var problem: Problem

    init(_ reason: JournalError.Reason, _ detail: String, suggestion: String? = nil) {
        self.reason = reason
        problem = Problem(detail: detail, suggestion: suggestion)
    }

    /// A problem without a specific reason.
    static func refusal(_ detail: String, suggestion: String) -> Self {
        Self(.other, detail, suggestion: suggestion)
    }

    /// A row that this program cannot have written.
    static func damage(_ row: String) -> Self {
        Self(.damaged, "\(row) is damaged", suggestion: "restore the file from a backup")
    }

    static func full(_ folder: String) -> Self {
        Self(.full, "disk is full", suggestion: "free some space in '\(folder)'")
    }

    static let conflict = Self(
        .conflict, "a diagnostic was revised concurrently", suggestion: "process its entry again")

    static let closed = Self(.closed, "is closed", suggestion: "start the service again")

    /// - Parameter folder: The data folder, for the suggestion.
    init(_ error: any Error, in folder: String) {
        if let problem = error as? Self {
            self = problem
        } else if let error = error as? StorageError {
            self.init(
                error.isFull ? .full : .other, error.problem.detail,
                suggestion: error.problem.suggestion)
        } else if let error = error as? DatabaseError {
            self.init(error, in: folder)
        } else {
            self.init(.other, "\(error)")
        }
    }

    private init(_ error: DatabaseError, in folder: String) {
        let message = error.message ?? "SQLite code \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL:
            self = .full(folder)
        // The shared-memory file, which is the index of the write-ahead log, could not grow.
        case _ where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE: self = .full(folder)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self.init(
                .damaged, "file in '\(folder)' is damaged (\(message))",
                suggestion: "restore it or move it away")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                .other, "another program holds the file in '\(folder)'",
                suggestion: "wait until it has finished, or stop it")
        case .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
            self.init(file: message, code: error.resultCode, in: folder)
        default:
            self.init(.other, message)
        }
    }

    /// The code of SQLite does not tell whether a permission is missing, or for which file.
    private init(file message: String, code: ResultCode, in folder: String) {
        let file = "\(folder)/\(EmbeddedDatabase.fileName)"
        if let denied = FileAccess.problem(among: [folder, file, "\(file)-wal", "\(file)-shm"]) {
            let place = denied.subject ?? folder
            self.init(.other, "'\(place)': \(denied.detail)", suggestion: denied.suggestion)
        } else if code == .SQLITE_IOERR {
            self.init(
                .other, "disk of '\(folder)' failed (\(message))",
                suggestion: "see the system's log")
        } else {
            self.init(
                .other, "file in '\(folder)' cannot be written (\(message))",
                suggestion: "change its permissions")
        }
    }
}

extension JournalError {
    /// - Parameter subject: The part of the database that failed.
    init(_ error: DatabaseProblem, of subject: String = "journal") {
        self.init(error.reason, error.problem.of(subject))
    }
}

extension StorageError {
    init(_ error: DatabaseProblem) {
        self.init(error.problem.of("catalogue"), isFull: error.reason == .full)
    }
}
