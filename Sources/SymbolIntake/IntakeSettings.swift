public import Logging

/// How uploads are read and symbols kept.
public struct IntakeSettings: Sendable {
    /// The data folder.
    public var data: String
    /// The program that children run, which is this one unless a test says otherwise.
    public var executable = "/proc/self/exe"
    public var limits = ChildLimits()
    /// How many children run at a time.
    public var childCount: Int
    /// The most bytes of indexes that stay mapped.
    public var mappedBytes: Int64 = 4 << 30
    /// When files mapped into this process take more memory than this, in bytes, the pages of
    /// indexes are given back to the system.
    public var residentBytes: Int64 = 1 << 30
    public var retention = SymbolRetention()
    /// The free space of the disk that uploads must leave; `nil` for a share of its size.
    public var leastFreeBytes: Int64?
    public var logger: Logger

    public init(data: String, childCount: Int, logger: Logger) {
        self.data = data
        self.childCount = childCount
        self.logger = logger
    }
}

/// How long debug files are kept. What is `nil` takes nothing.
public struct SymbolRetention: Hashable, Sendable {
    /// Since the last use or upload, in seconds.
    public var ageSeconds: Int64?
    /// Of all blobs together, as stored.
    public var bytes: Int64?

    public init(ageSeconds: Int64? = nil, bytes: Int64? = nil) {
        self.ageSeconds = ageSeconds
        self.bytes = bytes
    }
}
