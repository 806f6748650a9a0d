import Synchronization

/// The reasons why letters that were sent again failed, the last one of each exporter.
final class ResendFailures: Sendable {
    private let reasons = Mutex<[String: String]>([:])

    subscript(exporter: String) -> String? {
        get { reasons.withLock { $0[exporter] } }
        set { reasons.withLock { $0[exporter] = newValue } }
    }
}
