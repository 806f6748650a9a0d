/// Limits for unpacking an archive, including the archives inside it.
public struct UnpackingLimits: Hashable, Sendable {
    /// The maximum number of unpacked bytes, whether they are kept or not.
    public var unpackedBytes: Int64 = 64 << 30
    /// The maximum expansion ratio. That of debug information is below 20.
    public var ratio: Int64 = 200
    /// The unpacked size below which the ratio is not checked, because source lists and empty
    /// tables compress well.
    public var ratioFloorBytes: Int64 = 64 << 20
    public var entryCount = 1_000_000
    /// The maximum nesting depth of archives, below the outermost one.
    public var depth = 4

    public init() {}
}

/// Counts what was unpacked, and checks it against the limits.
public struct UnpackingBudget: Sendable {
    let limits: UnpackingLimits
    private let packedBytes: Int64
    private var unpackedBytes: Int64 = 0
    private var entryCount = 0

    /// - Parameter packedBytes: The size of the outermost archive.
    public init(_ limits: UnpackingLimits, packedBytes: Int64) {
        self.limits = limits
        self.packedBytes = packedBytes
    }

    mutating func spend(bytes: Int) throws(ArchiveError.Reason) {
        unpackedBytes += Int64(bytes)
        if unpackedBytes > limits.unpackedBytes {
            throw .tooManyBytes(limit: limits.unpackedBytes)
        }
        let (reach, overflow) = packedBytes.multipliedReportingOverflow(by: limits.ratio)
        if !overflow, unpackedBytes > max(reach, limits.ratioFloorBytes) {
            throw .ratioTooHigh(limit: limits.ratio)
        }
    }

    mutating func spendEntry() throws(ArchiveError.Reason) {
        entryCount += 1
        try check(entryCount: entryCount)
    }

    func check(entryCount: Int) throws(ArchiveError.Reason) {
        if entryCount > limits.entryCount { throw .tooManyEntries(limit: limits.entryCount) }
    }
}
