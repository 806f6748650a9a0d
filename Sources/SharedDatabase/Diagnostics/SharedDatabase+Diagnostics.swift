import CallStacks
public import Ingest
import PostgreSQL

extension SharedDatabase {
    /// Returns diagnostics, newest first.
    public func diagnostics(
        _ query: DiagnosticQuery
    ) async throws(JournalError) -> [DiagnosticRecord] {
        let list = DiagnosticListStatement(query)
        let found = try await diagnostics { try Statement(list.text, list.parameters) }
        return query.after == nil ? found : found.reversed()
    }

    /// Returns the number of diagnostics in a list, at most its limit.
    public func count(_ query: DiagnosticQuery) async throws(JournalError) -> Int {
        let list = DiagnosticListStatement(query, columns: "1")
        return try await asJournal {
            let rows = try await read(list.countText, list.parameters)
            return Int(try rows.first?.value(0, .int8) ?? 0)
        }
    }

    /// Returns the diagnostics next to the one at an address.
    public func neighbours(
        of address: RecordAddress, in query: DiagnosticQuery
    ) async throws(JournalError) -> DiagnosticNeighbours {
        let newer = DiagnosticListStatement(
            query.newer(than: address, limit: 1), columns: "uid")
        let older = DiagnosticListStatement(
            query.older(than: address, limit: 1), columns: "uid")
        let all = DiagnosticListStatement(
            query.newer(than: address, limit: DiagnosticQuery.largestLimit), columns: "1")
        return try await asJournal {
            let results = try await pool.transact(
                [
                    try Statement(newer.text, newer.parameters),
                    try Statement(older.text, older.parameters),
                    try Statement(all.countText, all.parameters),
                ], TransactionOptions(isReadOnly: true))
            func uid(_ result: QueryResult) throws -> String? {
                try result.first.map { String(decoding: try $0.value(0, .bytea), as: UTF8.self) }
            }
            return DiagnosticNeighbours(
                newer: try uid(results[0]), older: try uid(results[1]),
                newerCount: Int(try results[2].first?.value(0, .int8) ?? 0))
        }
    }

    /// Returns the newest diagnostic with an identifier, as shown in lists.
    ///
    /// - Parameter app: The app of the diagnostic, or `nil` for any app.
    public func diagnostic(
        uid: String, app: String?
    ) async throws(JournalError) -> DiagnosticRecord? {
        try await diagnostics {
            try Statement(
                """
                SELECT \(StoredDiagnostic.columns) FROM diagnostic
                WHERE uid = $1 AND ($2 IS NULL OR app = $2)
                ORDER BY arrival DESC, entry DESC, position DESC LIMIT 1
                """, [.value(Array(uid.utf8), .bytea), .optional(app?.asKey, .text)])
        }.first
    }

    public func diagnostic(
        at address: RecordAddress
    ) async throws(JournalError) -> DiagnosticRecord? {
        try await diagnostics { try RunStorage.lookup([address]) }.first
    }

    /// Returns the stored diagnostics among those at some addresses, without the images that they
    /// want.
    public func diagnosticsToRevise(
        at addresses: [RecordAddress]
    ) async throws(JournalError) -> [DiagnosticRecord] {
        let found = try await asJournal {
            let statement = try RunStorage.lookup(addresses)
            return try await read(statement).map { try StoredDiagnostic($0).diagnostic }
        }
        let byAddress = Dictionary(found.map { ($0.address, $0) }) { first, _ in first }
        return addresses.compactMap { byAddress[$0] }
    }

    private func diagnostics(
        _ statement: () throws -> Statement
    ) async throws(JournalError) -> [DiagnosticRecord] {
        try await asJournal {
            let statement = try statement()
            let options = TransactionOptions(isReadOnly: true)
            return try await pool.withTransaction(options) { transaction in
                let stored = try await transaction.execute(statement).map {
                    try StoredDiagnostic($0)
                }
                return try await StoredDiagnostic.complete(stored, transaction)
            }
        }
    }

    /// Returns the revision states of the diagnostics of an entry.
    public func revisions(
        ofEntry number: Int64
    ) async throws(JournalError) -> [RevisionState] {
        try await asJournal {
            try await read(
                """
                SELECT position, revision, digest, held_until IS NOT NULL, symbolicated,
                    history
                FROM diagnostic WHERE entry = $1 ORDER BY position
                """, [.value(number, .int8)], limit: .large
            ).map { row in
                RevisionState(
                    sent: SentRevision(
                        address: RecordAddress(
                            entry: number, position: Int(try row.value(0, .int4))),
                        number: Int(try row.value(1, .int4)),
                        digest: try row.optional(2, .bytea).flatMap(RecordDigest.init)),
                    wasHeld: try row.value(3, .bool),
                    symbolicatedFrameCount: Int(try row.value(4, .int4)),
                    history: RevisionHistory(bytes: try row.optional(5, .bytea) ?? []))
            }
        }
    }
}
