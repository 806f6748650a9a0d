import Synchronization

/// What became known of a request on its way, for those that passed it on.
final class RequestRecord: Sendable {
    private let state = Mutex<(caller: String?, refusal: String?)>((nil, nil))

    /// The name of the token, or what is there in place of one.
    var caller: String { state.withLock { $0.caller } ?? Tokens.unknownName }

    /// The code of the error with which it was refused.
    var refusal: String? { state.withLock { $0.refusal } }

    func note(caller: String) { state.withLock { $0.caller = caller } }

    func note(refusal: String) { state.withLock { $0.refusal = refusal } }
}
