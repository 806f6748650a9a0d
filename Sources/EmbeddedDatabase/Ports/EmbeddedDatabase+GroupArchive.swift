public import CallStacks
public import Ingest

extension EmbeddedDatabase: GroupArchive {
    public func groups(_ query: GroupQuery) async throws(JournalError) -> [DiagnosticGroup] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try GroupTable(db).groups(query) }
        }
    }

    public func groups(
        fingerprint: String, app: String?
    ) async throws(JournalError) -> [DiagnosticGroup] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in
                try GroupTable(db).groups(fingerprint: fingerprint, app: app)
            }
        }
    }

    public func groups(
        waitingFor image: ImageID, app: String?
    ) async throws(JournalError) -> [DiagnosticGroup] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try GroupTable(db).groups(waitingFor: image, app: app) }
        }
    }

    public func groups(
        using image: ImageID, app: String?
    ) async throws(JournalError) -> [DiagnosticGroup] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try GroupTable(db).groups(using: image, app: app) }
        }
    }

    public func apps() async throws(JournalError) -> [String] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try VersionCountTable(db).apps() }
        }
    }

    public func versions(of app: String) async throws(JournalError) -> [String] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try VersionCountTable(db).versions(of: app) }
        }
    }

    public func groupCounts(app: String?) async throws(JournalError) -> [DiagnosticKind: Int] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try GroupTable(db).counts(app: app) }
        }
    }

    public func statusCounts(
        since time: UnixTime, app: String?
    ) async throws(JournalError) -> [SymbolicatedDiagnostic.Status: Int] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try HourTable(db).counts(since: time, app: app) }
        }
    }

    public func coverage(app: String?) async throws(JournalError) -> [VersionCoverage] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try VersionCountTable(db).coverage(app: app) }
        }
    }

    public func coverage(
        of version: String, app: String
    ) async throws(JournalError) -> VersionCoverage? {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try VersionCountTable(db).coverage(of: version, app: app) }
        }
    }
}
