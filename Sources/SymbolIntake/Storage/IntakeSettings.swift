public import CallStacks
public import Logging

/// Settings for processing uploads and storing symbols.
public struct IntakeSettings: Sendable {
    /// The data folder.
    public var data: String
    /// The program that worker processes run: this one, except in tests.
    public var executable = "/proc/self/exe"
    public var limits = UploadWorkerLimits()
    /// The number of workers that run at a time.
    public var workerCount: Int
    /// The limit for mapped indexes, in bytes.
    public var mappedBytes: Int64 = 4 << 30
    /// The resident bytes of mapped files above which pages of indexes are released.
    public var residentBytes: Int64 = 1 << 30
    public var retention = SymbolRetention()
    /// The limit for index files in the data folder, in bytes, where all indexes are also stored
    /// elsewhere; or `nil` to keep them.
    public var cacheBytes: Int64?
    /// The maximum time for which a lookup waits for an index that is not in the data folder, or
    /// `nil` for no limit. After that it continues without the index, and its diagnostic is sent
    /// again later.
    public var cacheWait: Duration?
    /// The free space that uploads must leave on the disk, or `nil` for a share of its size.
    public var leastFreeBytes: Int64?
    public var logger: Logger
    /// Returns the time for uploads and uses. All nodes of a cluster share it.
    public var now: @Sendable () -> UnixTime = UnixTime.now

    public init(data: String, workerCount: Int, logger: Logger) {
        self.data = data
        self.workerCount = workerCount
        self.logger = logger
    }
}

/// The retention of debug files. A limit that is `nil` does not apply.
public struct SymbolRetention: Hashable, Sendable {
    /// Age limit since the last use or upload, in seconds.
    public var ageSeconds: Int64?
    /// Size limit of all blobs together, as stored.
    public var bytes: Int64?

    public init(ageSeconds: Int64? = nil, bytes: Int64? = nil) {
        self.ageSeconds = ageSeconds
        self.bytes = bytes
    }
}
