/// The number of missing images, and of the diagnostics that depend on them.
public struct MissingSummary: Hashable, Sendable {
    public var imageCount: Int
    /// The number of diagnostics that wait for the most wanted image, or 0 without images.
    public var largestWaitingCount: Int

    public init(imageCount: Int, largestWaitingCount: Int) {
        self.imageCount = imageCount
        self.largestWaitingCount = largestWaitingCount
    }
}
