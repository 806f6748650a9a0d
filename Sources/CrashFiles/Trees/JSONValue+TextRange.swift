import JSONText

extension JSONValue {
    /// Its bytes in the document, a string's with its quotes.
    var textRange: Range<Int> {
        kind == .string ? range.lowerBound - 1..<range.upperBound + 1 : range
    }
}
