import CallStacks
import MetricKitPayloads

extension UnixTime {
    /// The time as a fact on a page: `2026-11-24 15:01:58 UTC`.
    var pageText: String { text.prefix(19).replacing("T", with: " ") + " UTC" }
}
