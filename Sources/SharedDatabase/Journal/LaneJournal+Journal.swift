public import Ingest
import Problems

extension LaneJournal: Journal {
    /// Checks that the node has the lane. The server refuses appends when its disk is full.
    ///
    /// - Throws: `JournalError` if another node has the lane, or the lease may soon end because the
    ///   database does not respond.
    public func checkFreeSpace() async throws(JournalError) {
        if isLost { throw JournalError.lost(lane) }
        guard let clock, !clock.permitsSending else { return }
        throw JournalError(
            .other,
            Problem(
                "database", detail: "has not responded for most of a lease",
                suggestion: "check that the server of database.url is running and reachable"))
    }

    /// Begins a bucket of entries if it is time, and removes the oldest one if every reader has
    /// passed it and no stored diagnostic refers to it, unless another node does so.
    ///
    /// - Parameter count: Not used, because a bucket is removed as a whole.
    /// - Returns: 0, so that callers wait before the next attempt.
    public func removePassed(count: Int) async throws(JournalError) -> Int {
        let tasks = SharedTasks(of: database, for: claim.node)
        guard try await tasks.hold(Buckets.task, for: .seconds(120)) else { return 0 }
        let buckets = Buckets(of: database)
        _ = try await buckets.advance()
        _ = try await buckets.removeOldest()
        return 0
    }
}
