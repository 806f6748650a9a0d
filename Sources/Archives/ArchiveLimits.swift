/// How much may come out of one archive, those inside it included.
public struct ArchiveLimits: Hashable, Sendable {
    /// The most bytes that are unpacked, whether they are kept or not.
    public var unpackedBytes: Int64 = 64 << 30
    /// How many bytes one byte of the archive may stand for. Debug information stays below 20.
    public var ratio: Int64 = 200
    /// What an archive may unpack to whatever its ratio: source lists and empty tables compress well.
    public var ratioFloorBytes: Int64 = 64 << 20
    public var entryCount = 1_000_000
    /// How many archives may lie in one another below the one that is given.
    public var depth = 4

    public init() {}
}

/// What was unpacked so far, held against the limits.
public struct UnpackingBudget: Sendable {
    let limits: ArchiveLimits
    private let packedBytes: Int64
    private var unpackedBytes: Int64 = 0
    private var entryCount = 0

    /// - Parameter packedBytes: The size of the archive that was given.
    public init(_ limits: ArchiveLimits, packedBytes: Int64) {
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
