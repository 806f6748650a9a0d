public import Problems

/// Why a request to a server failed, with the next step.
public struct ServerRequestError: DescribedError, Hashable {
    public enum Kind: Hashable, Sendable {
        /// The address or the token is invalid.
        case unusable
        /// Access is denied. Every other request would fail in the same way.
        case refused
        /// There is no response, or it is not from Symbolist.
        case unreachable
        /// The server responded with an error to this one request.
        case failed(status: Int)
    }

    public var kind: Kind
    public var problem: Problem

    init(_ kind: Kind, problem: Problem) {
        self.kind = kind
        self.problem = problem
    }

    /// Whether further requests are useless.
    public var endsRun: Bool {
        switch kind {
        case .unusable, .refused, .unreachable: true
        case .failed: false
        }
    }
}
