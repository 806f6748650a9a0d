import Synchronization

/// The latest errors of a client's connections, which librdkafka reports separately from the
/// results of operations.
final class ConnectionState: Sendable {
    private struct State {
        var lastError: String?
        var isDown = false
    }

    private let state = Mutex(State())

    /// The text of the latest error since something succeeded.
    var lastError: String? { state.withLock { $0.lastError } }

    /// Whether no broker was reachable when librdkafka last tried.
    var isDown: Bool { state.withLock { $0.isDown } }

    func record(_ code: ResponseCode, _ text: String) {
        state.withLock { state in
            if code == .allBrokersDown {
                state.isDown = true
            } else {
                state.lastError = text
            }
        }
    }

    func recordSuccess() { state.withLock { $0 = State() } }
}
