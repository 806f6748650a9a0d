/// The result of an attempt to remove the oldest partition.
public enum PartitionRemoval: Hashable, Sendable {
    case removed(Int32)
    /// There is no partition that can be removed now.
    case nothing
    /// Older transactions hold the partition. The next attempt continues this one.
    case blocked(Int32, by: [SnapshotHolder])
    /// The partition contains entries that some reader has not finished, so it was attached again.
    case kept(Int32)
}

/// A session of the database whose transaction sees an old state of it.
public struct SnapshotHolder: Hashable, Sendable, CustomStringConvertible {
    public let process: Int32
    public let application: String
    /// The age of its transaction, in seconds.
    public let seconds: Int64

    /// `process 4711 (psql), 340 s`.
    public var description: String { "process \(process) (\(application)), \(seconds) s" }
}
