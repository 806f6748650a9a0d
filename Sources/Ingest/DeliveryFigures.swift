public import CallStacks

/// The port to what operators watch of the queue and of waiting diagnostics.
public protocol DeliveryFigures: Sendable {
    func deliveryState() async throws(JournalError) -> DeliveryState
}

/// What waits, for whom, and since when.
public struct DeliveryState: Hashable, Sendable {
    /// By exporter, the arrival of the oldest entry that it is not done with; none for an exporter that
    /// is done with all.
    public var oldestArrivals: [String: UnixTime]
    /// Diagnostics that are kept back until their symbols come or their time is over.
    public var heldCount: Int64
    /// Diagnostics that want images of apps without symbols, counted once for each image.
    public var waitingForAppCount: Int64
    /// The same for images of systems.
    public var waitingForSystemCount: Int64

    public init(
        oldestArrivals: [String: UnixTime] = [:], heldCount: Int64 = 0,
        waitingForAppCount: Int64 = 0, waitingForSystemCount: Int64 = 0
    ) {
        self.oldestArrivals = oldestArrivals
        self.heldCount = heldCount
        self.waitingForAppCount = waitingForAppCount
        self.waitingForSystemCount = waitingForSystemCount
    }
}
