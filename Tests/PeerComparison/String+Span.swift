extension String {
    /// Creates the text of a name that a reader passes.
    init(_ utf8: Span<UInt8>) {
        self.init(decoding: utf8.indices.map { utf8[$0] }, as: UTF8.self)
    }
}
