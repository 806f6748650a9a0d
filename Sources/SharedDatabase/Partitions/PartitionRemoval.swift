/// The result of an attempt to remove the oldest partition.
public enum PartitionRemoval: Hashable, Sendable {
    case removed(Int32)
    /// No partition can be removed now.
    case nothing
    /// Older transactions are blocking the removal. The next attempt continues it.
    case blocked(Int32, by: [SnapshotHolder])
    /// The partition contains entries that some reader has not finished, so it was attached again.
    case kept(Int32)
}

/// A database session whose transaction uses an old snapshot.
public struct SnapshotHolder: Hashable, Sendable, CustomStringConvertible {
    public let process: Int32
    public let application: String
    /// The age of its transaction, in seconds.
    public let seconds: Int64

    /// `process 4711 (psql), 340 s`.
    public var description: String { "process \(process) (\(application)), \(seconds) s" }
}
