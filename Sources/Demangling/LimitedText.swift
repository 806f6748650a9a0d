/// Text of at most ``Demangler/textBytesLimit`` bytes, which knows whether it was cut.
struct LimitedText {
    private(set) var text: String
    private(set) var isCut: Bool

    init(_ text: String) {
        self.init(bytes: text.utf8.prefix(Demangler.textBytesLimit + 1), isCut: false)
    }

    /// - Parameter bytes: Whatever a demangler printed. Invalid UTF-8 is repaired.
    init(bytes: some Collection<UInt8>, isCut: Bool) {
        let limit = Demangler.textBytesLimit
        self.isCut = isCut || bytes.count > limit
        let kept = bytes.prefix(limit)
        text =
            self.isCut
            ? String(decoding: Self.wholeCharacters(kept), as: UTF8.self)
            : String(decoding: kept, as: UTF8.self)
    }

    /// The text for people, where a cut is visible.
    var shown: String { isCut ? text + "…" : text }

    /// The same text, followed by a compiler's suffix that is never long.
    func appending(_ suffix: String) -> LimitedText {
        suffix.isEmpty || isCut ? self : LimitedText(text + suffix)
    }

    /// Without the beginning of a character that the cut went through.
    private static func wholeCharacters(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let kept = Array(bytes)
        let continuations = kept.reversed().prefix(3).prefix { $0 & 0xC0 == 0x80 }.count
        guard let lead = kept.dropLast(continuations).last, lead >= 0xC0 else { return kept }
        let expected = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1
        return continuations < expected ? kept.dropLast(continuations + 1) : kept
    }
}
