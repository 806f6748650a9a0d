public import CallStacks

/// The port to the nodes that share a database.
public protocol ClusterStatusSource: Sendable {
    func clusterStatus() async throws(JournalError) -> ClusterStatus
}

/// The nodes that share a database, and their lanes.
public struct ClusterStatus: Hashable, Sendable {
    public struct Node: Hashable, Sendable {
        public var name: String
        /// The version of the program.
        public var version: String
        public var lastSeen: UnixTime
        /// The lanes whose entries it processes, by number: the one that gets new entries, and those
        /// that it has adopted.
        public var lanes: [Lane]

        public init(name: String, version: String, lastSeen: UnixTime, lanes: [Lane]) {
            self.name = name
            self.version = version
            self.lastSeen = lastSeen
            self.lanes = lanes
        }
    }

    public struct Lane: Hashable, Sendable {
        public var number: Int
        /// The entries that some reader has not finished.
        public var waitingCount: Int64
        /// Their size as stored, in bytes.
        public var waitingBytes: Int64

        public init(number: Int, waitingCount: Int64, waitingBytes: Int64) {
            self.number = number
            self.waitingCount = waitingCount
            self.waitingBytes = waitingBytes
        }
    }

    /// By name.
    public var nodes: [Node]
    /// Lanes without a node that contain waiting entries. A node will adopt them.
    public var lanesWithoutNode: [Lane]

    public init(nodes: [Node], lanesWithoutNode: [Lane] = []) {
        self.nodes = nodes
        self.lanesWithoutNode = lanesWithoutNode
    }
}
