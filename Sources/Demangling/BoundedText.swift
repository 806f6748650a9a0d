/// Text of at most ``Demangler/textBytesLimit`` bytes, with a flag for truncation.
struct BoundedText {
    private(set) var text: String
    private(set) var isTruncated: Bool

    init(_ text: String) {
        isTruncated = text.utf8.count > Demangler.textBytesLimit
        self.text =
            isTruncated ? Self.wholeCharacters(text.utf8.prefix(Demangler.textBytesLimit)) : text
    }

    /// - Parameter bytes: The output of a demangler. Invalid UTF-8 is repaired.
    init(bytes: some Collection<UInt8>, isTruncated: Bool) {
        let limit = Demangler.textBytesLimit
        self.isTruncated = isTruncated || bytes.count > limit
        let kept = bytes.prefix(limit)
        text = self.isTruncated ? Self.wholeCharacters(kept) : String(decoding: kept, as: UTF8.self)
    }

    /// The text for display, with truncation marked.
    var shown: String { isTruncated ? text + "…" : text }

    /// Returns the text followed by a compiler's suffix, which is always short.
    func appending(_ suffix: String) -> BoundedText {
        suffix.isEmpty || isTruncated ? self : BoundedText(text + suffix)
    }

    /// Returns the text without an incomplete character at its end.
    private static func wholeCharacters(_ bytes: some Collection<UInt8>) -> String {
        var kept = Array(bytes)
        let continuations = kept.reversed().prefix(3).prefix { $0 & 0xC0 == 0x80 }.count
        if let lead = kept.dropLast(continuations).last, lead >= 0xC0 {
            let expected = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1
            if continuations < expected { kept.removeLast(continuations + 1) }
        }
        return String(decoding: kept, as: UTF8.self)
    }
}
