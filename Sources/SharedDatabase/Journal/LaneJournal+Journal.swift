public import Ingest
import Problems

extension LaneJournal: Journal {
    /// Checks that the node owns the lane, and that the queue limit of all lanes is not exceeded.
    /// The server itself rejects appends when its disk is full.
    ///
    /// - Throws: `JournalError` if another node has the lane, if the lease may soon end because the
    ///   database does not respond, or with the reason `full` if too many bytes wait in all lanes.
    public func checkFreeSpace() async throws(JournalError) {
        if isLost { throw JournalError.lost(lane) }
        if let clock, !clock.permitsSending {
            throw JournalError(
                .other,
                Problem(
                    "database", detail: "has not responded for most of a lease",
                    suggestion: "check that the server of database.url is running and reachable"))
        }
        try options.queueLimit?.check()
    }

    /// Does nothing: entries of all lanes are removed together, see ``EntryPartitions``.
    public func removePassed(count: Int) async throws(JournalError) -> Int { 0 }
}
