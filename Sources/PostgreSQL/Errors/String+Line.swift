extension String {
    /// The text on one line. The messages of libpq have line breaks and tabs.
    var onOneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
