import CallStacks

/// The text of a frame line after its address:
///
///     0x104a2c000 + 15040
///     0x104a2c000 + 15040 (checkout + 68)
///     0x104a2c000 + 15040 // checkout + 68
///     <unavailable> + 15040
///     Cart.checkout() + 68 (Cart.swift:9)
///     Cart.total(of:) + 8 (Cart.swift:13) [inlined]
///     [inlined] Cart.total(of:) (Cart.swift:13)
///     checkout (in Orchard) (Cart.swift:9) 0x104a2c000 + 15040
///     checkout (in Orchard) (Cart.swift:9) main + 116
///     (Missing UUID cf441af5bb7e35678d44451d69214d92)
struct FrameSymbolText: Equatable {
    /// An offset from the start of an image.
    struct Raw: Equatable {
        /// The image's load address, or 0 if it was unknown to the writer.
        var base: UInt64
        var offset: UInt64
    }

    var raw: Raw?
    /// An image by its identity, instead of a load address.
    var identity: (id: ImageID, offset: UInt64)?
    var function: ReportedFunction?
    /// Whether a placeholder with a distance replaces the name: `<redacted> + 148`.
    private(set) var isNameless = false

    /// - Parameter address: The address before the text.
    init(_ text: ArraySlice<UInt8>, at address: UInt64) {
        let words = Words(text)
        if text.starts(with: Self.missing) {
            identity = Self.missingImage(text, words: words).map { ($0, address) }
            return
        }
        if let offset = Self.unavailable(text, words: words), offset <= address {
            raw = Raw(base: address - offset, offset: offset)
            return
        }
        if words.count >= 3, let parts = Self.raw(text, words: words, at: 0) {
            raw = parts.raw
            identity = parts.identity
            function = Self.noted(text[words[2].upperBound...])
            return
        }
        function = Self.symbol(String(decoding: text, as: UTF8.self))
        isNameless =
            words.count == 3 && text[words[1]].elementsEqual("+".utf8)
            && ReportedFunction.placeholders.contains(
                String(decoding: text[words[0]], as: UTF8.self))
        if words.count > 3, let parts = Self.raw(text, words: words, at: words.count - 3) {
            raw = parts.raw
            let before = text[..<words[words.count - 3].lowerBound]
            function = Self.symbol(String(decoding: before, as: UTF8.self))
        }
    }

    private static let missing = Array("(Missing".utf8)

    /// Reads the identity in `(Missing UUID …)`, which Crashlytics writes for an image without
    /// symbols.
    private static func missingImage(_ text: ArraySlice<UInt8>, words: Words) -> ImageID? {
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

    /// Reads `0x104a2c000 + 15040`, or the same with a UUID instead of the address, from three
    /// words.
    private static func raw(
        _ text: ArraySlice<UInt8>, words: Words, at index: Int
    ) -> (raw: Raw?, identity: (id: ImageID, offset: UInt64)?)? {
        guard text[words[index + 1]].elementsEqual("+".utf8),
            let offset = UInt64(number: text[words[index + 2]])
        else { return nil }
        let base = text[words[index]]
        if base.starts(with: "0x".utf8) || (index == 0 && base.allSatisfy { $0 == 0x30 }),
            let base = UInt64(number: base)
        {
            return (Raw(base: base, offset: offset), nil)
        }
        guard index == 0, base.count == 36,
            let id = ImageID(String(decoding: base, as: UTF8.self)), id.hasUUIDLength
        else { return nil }
        return (nil, (id, offset))
    }

    /// Reads the offset in `<unavailable> + 15040`, which Swift runtimes up to 5.8 count from the
    /// start of the image if they know no function.
    private static func unavailable(_ text: ArraySlice<UInt8>, words: Words) -> UInt64? {
        guard words.count == 3, text[words[0]].elementsEqual("<unavailable>".utf8),
            text[words[1]].elementsEqual("+".utf8)
        else { return nil }
        return UInt64(number: text[words[2]])
    }

    /// Reads the nearest symbol in KSCrash's `(checkout + 68)` or Cr4shed's `// checkout + 68`.
    private static func noted(_ text: ArraySlice<UInt8>) -> ReportedFunction? {
        let note = String(decoding: text, as: UTF8.self).trimmed
        if note.hasPrefix("//") { return symbol(String(note.dropFirst(2))) }
        guard let open = note.firstIndex(of: "("), note.hasSuffix(")") else { return nil }
        return symbol(String(note[note.index(after: open)...].dropLast()))
    }

    /// Reads `checkout (in Orchard) (Cart.swift:9)` or `checkout (in Orchard) + 68`, as `atos`
    /// prints it and scripts insert it before the original offset or symbol.
    private static func printed(byAtos text: String) -> ReportedFunction? {
        guard let start = text.firstRange(of: " (in "),
            let end = text[start.upperBound...].firstIndex(of: ")")
        else { return nil }
        let name = String(text[..<start.lowerBound])
        let rest = text[text.index(after: end)...].trimmed
        var location = FrameSourceLocation()
        var distance: UInt64?
        if rest.hasPrefix("("), let close = rest.firstIndex(of: ")") {
            var first = " " + String(rest[...close])
            location = FrameSourceLocation(takenFrom: &first)
        } else if rest.hasPrefix("+ ") {
            distance = UInt64(rest.dropFirst(2).prefix { $0 != " " })
        }
        return location.function(named: name, distance: distance)
    }

    /// The mark before an inlined call in the text that Symbolist writes.
    private static let inlinedPrefix = "[inlined] "

    /// Reads `Cart.checkout() + 68 (Cart.swift:9) [inlined]`.
    static func symbol(_ text: String) -> ReportedFunction? {
        if text.contains(" (in ") { return printed(byAtos: text) }
        var text = text.trimmed
        let hasPrefix = text.hasPrefix(inlinedPrefix)
        if hasPrefix { text = String(text.dropFirst(inlinedPrefix.count)) }
        let hasSuffix = text.hasSuffix(" [inlined]")
        if hasSuffix { text = String(text.dropLast(10)) }
        let location = FrameSourceLocation(takenFrom: &text)
        var distance: UInt64?
        if let plus = text.range(ofLast: " + "),
            let number = UInt64(number: Array(text[plus...].utf8.dropFirst(3))[...])
        {
            distance = number
            text = String(text[..<plus])
        } else {
            text = text.withoutTruncatedDistance
        }
        // The start of a load address in a truncated line.
        guard text != "0" else { return nil }
        var function = location.function(named: text, distance: distance)
        function?.isInlined = hasPrefix || hasSuffix
        return function
    }
}

/// The ` (Cart.swift:9)` or ` (Cart.swift:9:12)` at the end of a text.
private struct FrameSourceLocation {
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
        let placeholder = SourceFile.compilerGeneratedPath
        let path = parts[0].hasSuffix(placeholder) ? placeholder : String(parts[0])
        file = SourceFile(given: path)
        text = String(text[..<open])
    }

    /// Returns `nil` for a placeholder or an address instead of a name.
    func function(named name: String, distance: UInt64?) -> ReportedFunction? {
        let name = name.trimmed
        guard !name.isEmpty, !ReportedFunction.placeholders.contains(name),
            UInt64(address: Array(name.utf8)[...]) == nil
        else { return nil }
        return ReportedFunction(
            name: name, distance: distance, file: file, line: line, column: column)
    }
}

extension ReportedFunction {
    /// The placeholders that writers use for unknown names.
    static let placeholders: Set<String> = [
        "???", "(null)", "<redacted>", "<deduplicated_symbol>", "<unknown>", "<unavailable>",
        "null", "0x0",
    ]
}

extension SourceFile {
    /// Reads a path or a name from a report.
    init(given path: String) {
        let end = path.lastIndex { $0 == "/" || $0 == "\\" }
        let name = end.map { path[path.index(after: $0)...] } ?? path[...]
        let folder = end.map { path[..<$0] } ?? ""
        self.init(folder: end == path.startIndex ? "/" : String(folder), name: String(name))
    }
}

extension StringProtocol {
    /// The text without surrounding blanks.
    var trimmed: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\n" }
        guard let first = firstIndex(where: { !isSpace($0) }),
            let last = lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(self[first...last])
    }

    /// Returns the start of the last occurrence of a text.
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
