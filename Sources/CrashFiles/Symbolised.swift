import CallStacks

/// What a frame line says behind its address:
///
///     0x104a2c000 + 15040
///     0x104a2c000 + 15040 (checkout + 68)
///     0x104a2c000 + 15040 // checkout + 68
///     <unavailable> + 15040
///     Cart.checkout() + 68 (Cart.swift:9)
///     Cart.total(of:) + 8 (Cart.swift:13) [inlined]
///     checkout (in Orchard) (Cart.swift:9) 0x104a2c000 + 15040
///     checkout (in Orchard) (Cart.swift:9) main + 116
///     (Missing UUID cf441af5bb7e35678d44451d69214d92)
struct Symbolised: Equatable {
    /// A distance from the start of the image.
    struct Raw: Equatable {
        /// Where the image was mapped; 0 where the writer did not know.
        var base: UInt64
        var offset: UInt64
    }

    var raw: Raw?
    /// An image by its identity, in place of an address that it is mapped at.
    var identity: (id: ImageID, offset: UInt64)?
    var function: GivenFunction?
    /// Whether a distance follows what stands in the place of a name: `<redacted> + 148`.
    private(set) var isNameless = false

    /// - Parameter address: What stands before the text.
    init(_ text: ArraySlice<UInt8>, at address: UInt64) {
        let words = Words(text)
        if text.starts(with: Self.missing) {
            identity = Self.missingImage(text, words).map { ($0, address) }
            return
        }
        if let offset = Self.unavailable(text, words), offset <= address {
            raw = Raw(base: address - offset, offset: offset)
            return
        }
        if words.count >= 3, let parts = Self.raw(text, words, at: 0) {
            raw = parts.raw
            identity = parts.identity
            function = Self.noted(text[words[2].upperBound...])
            return
        }
        function = Self.symbol(String(decoding: text, as: UTF8.self))
        isNameless =
            words.count == 3 && text[words[1]].elementsEqual("+".utf8)
            && GivenFunction.placeholders.contains(String(decoding: text[words[0]], as: UTF8.self))
        if words.count > 3, let parts = Self.raw(text, words, at: words.count - 3) {
            raw = parts.raw
            let before = text[..<words[words.count - 3].lowerBound]
            function = Self.symbol(String(decoding: before, as: UTF8.self))
        }
    }

    private static let missing = Array("(Missing".utf8)

    /// The identity in `(Missing UUID …)`, which Crashlytics writes for an image without symbols, behind
    /// the offset in it.
    private static func missingImage(_ text: ArraySlice<UInt8>, _ words: Words) -> ImageID? {
        guard words.count == 3, text[words[1]].elementsEqual("UUID".utf8),
            text[words[2]].last == UInt8(ascii: ")")
        else { return nil }
        return ImageID(String(decoding: text[words[2]].dropLast(), as: UTF8.self))
    }

    static func == (left: Self, right: Self) -> Bool {
        left.raw == right.raw && left.function == right.function
            && left.identity?.id == right.identity?.id
            && left.identity?.offset == right.identity?.offset
    }

    /// `0x104a2c000 + 15040`, or the same with a UUID in front, in three words.
    private static func raw(
        _ text: ArraySlice<UInt8>, _ words: Words, at place: Int
    ) -> (raw: Raw?, identity: (id: ImageID, offset: UInt64)?)? {
        guard text[words[place + 1]].elementsEqual("+".utf8),
            let offset = UInt64(number: text[words[place + 2]])
        else { return nil }
        let base = text[words[place]]
        if base.starts(with: "0x".utf8) || (place == 0 && base.allSatisfy { $0 == 0x30 }),
            let base = UInt64(number: base)
        {
            return (Raw(base: base, offset: offset), nil)
        }
        guard place == 0, base.count == 36,
            let id = ImageID(String(decoding: base, as: UTF8.self)), id.hasUUIDLength
        else { return nil }
        return (nil, (id, offset))
    }

    /// The offset in `<unavailable> + 15040`, which the runtime of Swift up to 5.8 counts from the start
    /// of the image where it knows no function.
    private static func unavailable(_ text: ArraySlice<UInt8>, _ words: Words) -> UInt64? {
        guard words.count == 3, text[words[0]].elementsEqual("<unavailable>".utf8),
            text[words[1]].elementsEqual("+".utf8)
        else { return nil }
        return UInt64(number: text[words[2]])
    }

    /// `(checkout + 68)`, the nearest symbol as KSCrash writes it, and `// checkout + 68`, as Cr4shed
    /// does.
    private static func noted(_ text: ArraySlice<UInt8>) -> GivenFunction? {
        let note = String(decoding: text, as: UTF8.self).trimmed
        if note.hasPrefix("//") { return symbol(String(note.dropFirst(2))) }
        guard let open = note.firstIndex(of: "("), note.hasSuffix(")") else { return nil }
        return symbol(String(note[note.index(after: open)...].dropLast()))
    }

    /// `checkout (in Orchard) (Cart.swift:9)` or `checkout (in Orchard) + 68`, as `atos` prints it and
    /// scripts around it leave it, before what stood there: an offset or the nearest symbol.
    private static func printed(byAtos text: String) -> GivenFunction? {
        guard let start = text.firstRange(of: " (in "),
            let end = text[start.upperBound...].firstIndex(of: ")")
        else { return nil }
        let name = String(text[..<start.lowerBound])
        let rest = text[text.index(after: end)...].trimmed
        var place = SourcePlace()
        var distance: UInt64?
        if rest.hasPrefix("("), let close = rest.firstIndex(of: ")") {
            var first = " " + String(rest[...close])
            place = SourcePlace(takenFrom: &first)
        } else if rest.hasPrefix("+ ") {
            distance = UInt64(rest.dropFirst(2).prefix { $0 != " " })
        }
        return place.function(named: name, distance: distance)
    }

    /// `Cart.checkout() + 68 (Cart.swift:9) [inlined]`.
    static func symbol(_ text: String) -> GivenFunction? {
        if text.contains(" (in ") { return printed(byAtos: text) }
        var text = text.trimmed
        let isInlined = text.hasSuffix(" [inlined]")
        if isInlined { text = String(text.dropLast(10)) }
        let place = SourcePlace(takenFrom: &text)
        var distance: UInt64?
        if let plus = text.range(ofLast: " + "),
            let number = UInt64(number: Array(text[plus...].utf8.dropFirst(3))[...])
        {
            distance = number
            text = String(text[..<plus])
        }
        var function = place.function(named: text, distance: distance)
        function?.isInlined = isInlined
        return function
    }
}

/// The ` (Cart.swift:9)` or ` (Cart.swift:9:12)` at the end of a text.
private struct SourcePlace {
    var file: SourceFile?
    var line: UInt32 = 0
    var column: UInt32 = 0

    init() {}

    init(takenFrom text: inout String) {
        guard text.hasSuffix(")"), let open = text.range(ofLast: " (") else { return }
        let inner = text[text.index(open, offsetBy: 2)...].dropLast()
        let parts = inner.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, !parts[0].isEmpty,
            let line = UInt32(parts[1]), !parts[0].contains("(")
        else { return }
        if parts.count == 3 {
            guard let column = UInt32(parts[2]) else { return }
            self.column = column
        }
        self.line = line
        let path = parts[0].hasSuffix(Self.unwritten) ? Self.unwritten : String(parts[0])
        file = SourceFile(given: path)
        text = String(text[..<open])
    }

    /// What stands for a file that nobody wrote, whatever folder it is put into.
    private static let unwritten = "<compiler-generated>"

    /// `nil` for names that say that nothing is known, and for a number in place of a name, of which
    /// the rest is cut off.
    func function(named name: String, distance: UInt64?) -> GivenFunction? {
        let name = name.trimmed
        guard !name.isEmpty, !GivenFunction.placeholders.contains(name),
            UInt64(address: Array(name.utf8)[...]) == nil
        else { return nil }
        return GivenFunction(
            name: name, distance: distance, file: file, line: line, column: column)
    }
}

extension GivenFunction {
    /// What writers put where they know no name.
    static let placeholders: Set<String> = [
        "???", "(null)", "<redacted>", "<deduplicated_symbol>", "<unknown>", "<unavailable>",
        "null", "0x0",
    ]
}

extension SourceFile {
    /// A path or a name as reports give it.
    init(given path: String) {
        let end = path.lastIndex { $0 == "/" || $0 == "\\" }
        let name = end.map { path[path.index(after: $0)...] } ?? path[...]
        let folder = end.map { path[..<$0] } ?? ""
        self.init(folder: end == path.startIndex ? "/" : String(folder), name: String(name))
    }
}

extension StringProtocol {
    /// The text without blanks at its ends.
    var trimmed: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\n" }
        guard let first = firstIndex(where: { !isSpace($0) }),
            let last = lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(self[first...last])
    }

    /// Where the last occurrence of a text begins.
    func range(ofLast text: String) -> Index? {
        let bytes = Array(utf8)
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return nil }
        for start in (0...bytes.count - wanted.count).reversed()
        where bytes[start...].starts(with: wanted) {
            return utf8.index(startIndex, offsetBy: start)
        }
        return nil
    }
}
