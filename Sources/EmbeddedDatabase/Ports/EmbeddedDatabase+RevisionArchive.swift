import GRDB
public import Ingest

extension EmbeddedDatabase: RevisionArchive {
    public func diagnosticsToRevise(
        at addresses: [RecordAddress]
    ) async throws(JournalError) -> [DiagnosticRecord] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in
                try addresses.compactMap { try DiagnosticTable(db).diagnosticToRevise(at: $0) }
            }
        }
    }

    public func revisions(
        ofEntry number: Int64
    ) async throws(JournalError) -> [RevisionState] {
        try await asJournal { () async throws(DatabaseProblem) in
            try await read { db in try DiagnosticTable(db).revisions(ofEntry: number) }
        }
    }

    public func advance(
        _ revisions: [NextRevision], symbolsSeen: Int64
    ) async throws(JournalError) -> Bool {
        try await asJournal { () async throws(DatabaseProblem) in
            try await writer.write { db in
                try DiagnosticTable(db).advance(revisions, symbolsSeen: symbolsSeen)
            }
        }
    }
}
