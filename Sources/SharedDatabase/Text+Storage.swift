extension String {
    /// The text before its first NUL, which PostgreSQL cannot store.
    var withoutNUL: String {
        utf8.contains(0) ? String(prefix { $0 != "\0" }) : self
    }
}

extension String {
    /// The text in the form for indexed columns, because index rows are limited to 2,704 bytes.
    var asKey: String {
        guard utf8.count > Self.keyLimit || utf8.contains(0) else { return self }
        return String(decoding: withoutNUL.utf8.prefix(Self.keyLimit), as: UTF8.self)
    }

    private static let keyLimit = 500
}
