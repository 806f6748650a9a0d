/// The revision of the source code that a build was made from, such as the hash of a Git commit.
public struct SourceCommit: Hashable, Sendable, LosslessStringConvertible {
    public let description: String

    /// The rule for the text, for error messages.
    public static let rule = "1 to \(lengthLimit) printable ASCII characters without spaces"

    private static let lengthLimit = 100

    /// Returns `nil` if the text does not follow ``rule``.
    public init?(_ description: String) {
        guard (1...Self.lengthLimit).contains(description.utf8.count),
            description.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { return nil }
        self.description = description
    }
}
