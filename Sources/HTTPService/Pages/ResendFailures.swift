import Synchronization

/// The reason of each exporter's last failed resend.
final class ResendFailures: Sendable {
    private let reasons = Mutex<[String: String]>([:])

    subscript(exporter: String) -> String? {
        get { reasons.withLock { $0[exporter] } }
        set { reasons.withLock { $0[exporter] = newValue } }
    }
}
