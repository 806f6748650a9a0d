public import CallStacks

/// The files that a debug file is indexed with: its `.dwo` files or packages of them, and its
/// supplementary file of `dwz`. They are stored as one blob, see ``CompanionBundle``.
public struct StoredCompanions: Hashable, Sendable {
    /// The name of the blob, as that of ``StoredDebugFile``.
    public var blob: String
    /// The size of the bundle, before compression.
    public var byteCount: Int64
    /// The size of the blob as stored.
    public var storedByteCount: Int64
    /// The build ID of the supplementary file, or `nil` if there is none.
    public var supplement: ImageID?

    public init(
        blob: String, byteCount: Int64, storedByteCount: Int64, supplement: ImageID? = nil
    ) {
        self.blob = blob
        self.byteCount = byteCount
        self.storedByteCount = storedByteCount
        self.supplement = supplement
    }
}
