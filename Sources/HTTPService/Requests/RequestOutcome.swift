import Synchronization

/// Facts about a request that inner middlewares record for outer ones.
final class RequestOutcome: Sendable {
    private let state = Mutex<(caller: String?, refusal: String?, isChange: Bool)>(
        (nil, nil, false))

    /// The name of the token, or a placeholder if there is none.
    var caller: String { state.withLock { $0.caller } ?? Tokens.unknownName }

    /// The code of the error response, or `nil` if the request succeeded.
    var refusal: String? { state.withLock { $0.refusal } }

    /// Whether the request changed something although its method and path do not show that.
    var isChange: Bool { state.withLock { $0.isChange } }

    func recordChange() { state.withLock { $0.isChange = true } }

    func record(caller: String) { state.withLock { $0.caller = caller } }

    func record(refusal: String) { state.withLock { $0.refusal = refusal } }
}
