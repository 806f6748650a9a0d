extension String {
    /// The text of a name that a reader hands over.
    init(_ utf8: Span<UInt8>) {
        self.init(decoding: utf8.indices.map { utf8[$0] }, as: UTF8.self)
    }
}
