public import CallStacks

/// The status of a service that runs on one machine: a cluster of one node.
public struct SingleNode: ClusterStatusSource {
    private let name: String
    private let version: String
    private let journal: any Journal
    private let now: @Sendable () -> UnixTime

    /// - Parameters:
    ///   - name: The name of the machine.
    ///   - version: The version of the program.
    public init(
        name: String, version: String, journal: any Journal, now: @escaping @Sendable () -> UnixTime
    ) {
        self.name = name
        self.version = version
        self.journal = journal
        self.now = now
    }

    public func clusterStatus() async throws(JournalError) -> ClusterStatus {
        let backlog = try await journal.backlog()
        let lane = ClusterStatus.Lane(
            number: 0, waitingCount: backlog.count, waitingBytes: backlog.bytes)
        return ClusterStatus(
            nodes: [.init(name: name, version: version, lastSeen: now(), lanes: [lane])])
    }
}
