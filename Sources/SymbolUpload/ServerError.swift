/// Why a server did not do what it was asked, with the next step.
public struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable {
        /// The address or token cannot be used at all.
        case unusable
        /// It does not let us in: every other request would end the same way.
        case refused
        /// No answer, or none that is one of its own.
        case unreachable
        /// It answered, and did not do this one thing.
        case failed(status: Int)
    }

    public var kind: Kind
    public var description: String
    /// What the server calls it, for programs.
    var code: String?

    init(_ kind: Kind, _ description: String, code: String? = nil) {
        self.kind = kind
        self.description = description
        self.code = code
    }

    /// Whether nothing more is worth sending.
    public var endsRun: Bool {
        switch kind {
        case .unusable, .refused, .unreachable: true
        case .failed: false
        }
    }
}
