/// One piece of JSON text and where it lies.
public struct JSONToken: Hashable, Sendable {
    public enum Kind: UInt8, Hashable, Sendable {
        case objectStart, objectEnd, arrayStart, arrayEnd
        /// The name of an object's member; its value is the next token or container.
        case key
        case string, number, `true`, `false`, null

        var opensContainer: Bool { self == .objectStart || self == .arrayStart }
        var closesContainer: Bool { self == .objectEnd || self == .arrayEnd }
    }

    public let kind: Kind
    /// Its bytes in the input. Keys and strings lie between their quotes.
    public let range: Range<Int>
    /// Whether a key or string has to be decoded before it means what it says.
    public let hasEscapes: Bool

    init(_ kind: Kind, _ range: Range<Int>, hasEscapes: Bool = false) {
        self.kind = kind
        self.range = range
        self.hasEscapes = hasEscapes
    }
}
