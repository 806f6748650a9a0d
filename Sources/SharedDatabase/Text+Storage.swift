extension String {
    /// The text before its first NUL, which PostgreSQL does not store.
    var withoutNUL: String {
        utf8.contains(0) ? String(prefix { $0 != "\0" }) : self
    }
}
