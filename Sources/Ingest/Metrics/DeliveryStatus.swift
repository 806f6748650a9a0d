public import CallStacks

/// The port to the delivery status of exporters and diagnostics.
public protocol DeliveryStatusSource: Sendable {
    func deliveryStatus() async throws(JournalError) -> DeliveryStatus
}

/// The oldest undelivered entries, and the number of waiting diagnostics.
public struct DeliveryStatus: Hashable, Sendable {
    /// The arrival of the oldest entry that each exporter has not finished, by name. Exporters
    /// without such an entry are absent.
    public var oldestArrivals: [String: UnixTime]
    /// The number of held diagnostics.
    public var heldCount: Int64
    /// The number of diagnostics that wait for images of apps, counted once per image.
    public var waitingForAppCount: Int64
    /// The number of diagnostics that wait for system images, counted once per image.
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
