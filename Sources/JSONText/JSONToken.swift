/// A token of JSON text, with its position.
struct JSONToken: Hashable, Sendable {
    enum Kind: UInt8, Hashable, Sendable {
        case objectStart, objectEnd, arrayStart, arrayEnd
        /// The name of an object's member; its value is the next token or container.
        case key
        case string, number, `true`, `false`, null

        var opensContainer: Bool { self == .objectStart || self == .arrayStart }
        var closesContainer: Bool { self == .objectEnd || self == .arrayEnd }
    }

    let kind: Kind
    /// The token's bytes in the input. For keys and strings, the bytes between the quotes.
    let range: Range<Int>
    /// Whether the content of a key or string contains escapes.
    let hasEscapes: Bool

    init(_ kind: Kind, _ range: Range<Int>, hasEscapes: Bool = false) {
        self.kind = kind
        self.range = range
        self.hasEscapes = hasEscapes
    }
}
