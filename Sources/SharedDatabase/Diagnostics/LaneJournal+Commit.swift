import CallStacks
public import Ingest
import PostgreSQL
import Problems

extension LaneJournal {
    /// Stores the results of a run of entries and moves the worker's cursor, in one transaction.
    ///
    /// - Throws: `JournalError` with the reason `conflict` if ``Ingest/WorkerCommit/expected`` is
    ///   outdated, or `closed` if another node has claimed the lane.
    public func commit(_ commit: WorkerCommit) async throws(JournalError) {
        try await asJournal {
            let moved = try await store(commit.diagnostics, revised: commit.revised) { run in
                try await run.begin(expecting: commit.expected)
                try await run.store(
                    commit.diagnostics, revised: commit.revised, symbolsSeen: commit.symbolsSeen)
                try await PayloadTable(transaction: run.transaction, lane: lane)
                    .store(commit.payloads)
                let moved = try await run.transaction.execute(
                    try postponement(of: commit.postponed) + sent(through: commit.lastNumber) + [
                        try advancement(of: JournalReaders.worker, to: commit.lastNumber)
                    ])
                return moved.last?.first
            }
            slowestReader.moved(JournalReaders.worker)
            if let moved { try recordWorkerCursor(moved) }
        }
        recent.drop(upTo: commit.lastNumber)
    }

    /// Runs `body` in a transaction of the lane's owner, after writing the rows that it depends on.
    func store<Value>(
        _ diagnostics: [DiagnosticRecord], revised: [DiagnosticRecord],
        _ body: (RunStorage) async throws -> Value
    ) async throws -> Value {
        var waits = ImageWaits()
        for diagnostic in diagnostics + revised { waits.add(diagnostic) }
        let images = waits
        let days = Set(diagnostics.map { DayPartitions.day(of: $0.arrival) })
        var attempts = 0
        while true {
            try await database.days.prepare(days)
            let numbers = try await database.missingImages.put(images.images)
            do {
                return try await fenced { transaction in
                    try await body(
                        RunStorage(
                            transaction: transaction, lane: lane, waits: images, numbers: numbers))
                }
            } catch  where DayPartitions.isMissing(error) && attempts < 3 {
                // Another node has removed a day meanwhile.
                attempts += 1
                database.days.forget()
            } catch  where error is OutdatedNumbers && attempts < 3 {
                // Another node has removed an image that no diagnostic waited for.
                attempts += 1
                database.missingImages.forget()
            }
        }
    }

    /// Returns the statement that marks diagnostics to be sent again at a later time than now.
    private func postponement(of addresses: [RecordAddress]) throws -> [Statement] {
        guard !addresses.isEmpty else { return [] }
        return [
            try Statement(
                """
                UPDATE resend r SET marked = greatest(
                    marked, (extract(epoch FROM now()) * 1000)::int8 + $3)
                FROM unnest($1::int8[], $2::int4[]) AS late (entry, position)
                WHERE r.entry = late.entry AND r.position = late.position
                    AND r.taken IS NOT NULL
                """,
                [
                    .value(addresses.map(\.entry), .array(of: .int8)),
                    .value(addresses.map { Int32(clamping: $0.position) }, .array(of: .int4)),
                    .value(Self.postponement, .int8),
                ])
        ]
    }

    /// The delay of diagnostics to be sent again whose entries cannot be read, in milliseconds.
    private static let postponement: Int64 = 60_000

    /// Returns the statements that allow diagnostics to be marked again once the worker has
    /// processed the entries that sent them.
    private func sent(through number: Int64) throws -> [Statement] {
        let range = "taken > $1 AND taken <= $2"
        let parameters: [Parameter] = [.value(lane.start, .int8), .value(number, .int8)]
        return [
            try Statement("DELETE FROM resend WHERE \(range) AND due IS NULL", parameters),
            try Statement("UPDATE resend SET taken = NULL WHERE \(range)", parameters),
        ]
    }
}

extension JournalError {
    /// A later revision was stored meanwhile.
    static let conflict = Self(
        .conflict,
        Problem(
            "journal", detail: "a diagnostic was revised concurrently",
            suggestion: "process its entry again"))
}
