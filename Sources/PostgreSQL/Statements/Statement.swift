/// An SQL statement with its parameters, validated and encoded.
///
/// The server parses it at each execution, so it works through a connection pooler that changes the
/// server connection between transactions.
public struct Statement: Sendable {
    /// One command with placeholders `$1`, `$2`, ….
    let text: String
    let parameters: EncodedParameters
    let limit: ResultLimit

    /// - Parameters:
    ///   - text: One command with placeholders `$1`, `$2`, …. Values belong in `parameters`.
    ///   - limit: The maximum size of the result.
    /// - Throws: ``DatabaseError/invalidStatement(_:)`` if a text contains a NUL character, or if
    ///   there are more than 65,535 parameters.
    public init(
        _ text: String, _ parameters: [Parameter] = [], limit: ResultLimit = .standard
    ) throws(DatabaseError) {
        guard !text.utf8.contains(0) else {
            throw .invalidStatement("statement contains a NUL character")
        }
        self.text = text
        self.parameters = try EncodedParameters(parameters)
        self.limit = limit
    }
}

extension Statement {
    static let rollback = Self(fixed: "ROLLBACK")
    static let commit = Self(fixed: "COMMIT")

    /// A statement of this module, without parameters.
    init(fixed text: StaticString) {
        self.text = text.description
        parameters = EncodedParameters()
        limit = .standard
    }
}
