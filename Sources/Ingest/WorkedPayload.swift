public import MetricKitSignals

/// What is kept of a MetricKit payload when the worker is done with it.
public struct WorkedPayload: Hashable, Sendable {
    /// By which it is recognised when it is posted again.
    public var key: EntryKey
    /// What it says of versions of an app; none where it is no metric payload.
    public var figures: [PayloadFigures]

    public init(key: EntryKey, figures: [PayloadFigures] = []) {
        self.key = key
        self.figures = figures
    }
}
