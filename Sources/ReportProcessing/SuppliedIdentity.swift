public import CallStacks
public import LogExtraction

/// An identity that the user supplies for an image name, written `NAME=UUID`, or `NAME=UUID!` to
/// override the report's own.
public struct SuppliedIdentity: Hashable, Sendable {
    public let name: String
    public let id: ImageID
    /// Whether it takes precedence over the identity in the report.
    public let isOverride: Bool

    /// Returns `nil` if `text` has no name or no valid UUID.
    public init?(_ text: String) {
        isOverride = text.hasSuffix("!")
        let text = isOverride ? text.dropLast() : text[...]
        guard let sign = text.lastIndex(of: "="), sign > text.startIndex,
            let id = ImageID(text[text.index(after: sign)...])
        else { return nil }
        name = String(text[..<sign])
        self.id = id
    }
}

extension CrashFileReader {
    /// Sets the identities of images by their names. If a name has several, the last one takes
    /// effect.
    public mutating func identify(by given: [SuppliedIdentity]) {
        identities = Dictionary(given.map { ($0.name, $0.id) }) { _, last in last }
        overriddenNames = Set(given.lazy.filter(\.isOverride).map(\.name))
    }
}
