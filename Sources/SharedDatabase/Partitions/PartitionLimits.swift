/// The limits of a partition of entries, at which the next one begins.
public struct PartitionLimits: Hashable, Sendable {
    public var age: Duration
    /// The size of the partition on disk.
    public var bytes: Int64
    /// The maximum time for which the removal of a partition waits for older transactions.
    public var detachment: Duration

    public init(
        age: Duration = .seconds(600), bytes: Int64 = 4 << 30, detachment: Duration = .seconds(30)
    ) {
        self.age = age
        self.bytes = bytes
        self.detachment = detachment
    }
}
