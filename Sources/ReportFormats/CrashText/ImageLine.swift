import CallStacks

/// A line in the image list of a text report:
///
///     0x104a2c000 -        0x104a2ffff Orchard arm64  <cf44…4d92> /Applications/Orchard.app/Orchard
///     0x104a2c000 -        0x104a2ffff +com.example.orchard (1.2 - 34) <CF44…4D92> /Applications/…
package struct ImageLine {
    let image: ListedImage

    package init?(_ line: ArraySlice<UInt8>) {
        let words = Words(line)
        guard words.count >= 4, let base = Self.start(line[words[0]]),
            line[words[1]].elementsEqual("-".utf8)
        else { return nil }
        let last = UInt64(address: line[words[2]])
        guard last != nil || line[words[2]].elementsEqual("???".utf8) else { return nil }
        let (described, id, path) = Self.split(line[words[3].lowerBound...])
        guard let described else { return nil }
        let (name, architecture, version) = Self.name(described)
        var size: UInt64?
        if let last, last >= base { size = (last - base).addingReportingOverflow(1).partialValue }
        image = ListedImage(
            id: id, name: name, path: path, architecture: architecture,
            base: RuntimeAddress(base), size: size, version: version)
    }

    /// Reads the first address; `*` before it marks a kernel image.
    private static func start(_ word: ArraySlice<UInt8>) -> UInt64? {
        UInt64(address: word.first == UInt8(ascii: "*") ? word.dropFirst() : word)
    }

    /// Splits `NAME <UUID> PATH`, or `NAME PATH`.
    private static func split(
        _ text: ArraySlice<UInt8>
    ) -> (name: String?, id: ImageID?, path: String?) {
        for word in Words(text) where text[word.lowerBound] == UInt8(ascii: "<") {
            guard text[word].last == UInt8(ascii: ">"), word.lowerBound > text.startIndex
            else { continue }
            let inner = String(decoding: text[word].dropFirst().dropLast(), as: UTF8.self)
            let id = inner.utf8.count >= 32 ? ImageID(inner) : nil
            guard id != nil || inner == "(null)" || inner.allSatisfy({ $0 == "0" || $0 == "-" })
            else { continue }
            return (name(text[..<word.lowerBound]), id, name(text[word.upperBound...]))
        }
        for word in Words(text).dropFirst() where text[word.lowerBound] == UInt8(ascii: "/") {
            return (name(text[..<word.lowerBound]), nil, name(text[word.lowerBound...]))
        }
        return (nil, nil, nil)
    }

    private static func name(_ text: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: text, as: UTF8.self).trimmed
        return text.isEmpty ? nil : text
    }

    /// Removes `+` from the start, and a version and an architecture from the end.
    private static func name(
        _ text: String
    ) -> (name: String, architecture: String?, version: String?) {
        var text = text.hasPrefix("+") ? String(text.dropFirst()).trimmed : text
        var architecture: String?
        var version: String?
        for _ in 0..<2 {
            if text.hasSuffix(")"), let open = openBracket(of: text), open > text.startIndex {
                let inner = text[text.index(after: open)...].dropLast()
                if isArchitecture(inner) {
                    architecture = String(inner)
                } else if version == nil {
                    version = String(inner)
                }
                text = text[..<open].trimmed
            }
            if let blank = text.lastIndex(of: " "), isArchitecture(text[blank...].dropFirst()) {
                architecture = String(text[blank...].dropFirst())
                text = text[..<blank].trimmed
            }
        }
        return (text, architecture, version == "*" ? nil : version)
    }

    /// Returns the bracket that the text's last character closes.
    private static func openBracket(of text: String) -> String.Index? {
        var depth = 0
        for index in text.indices.reversed() {
            if text[index] == ")" { depth += 1 }
            if text[index] == "(" { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    private static func isArchitecture(_ word: Substring) -> Bool {
        word.hasPrefix("arm64") || word.hasPrefix("armv") || word.hasPrefix("x86_64")
            || word == "i386" || word == "unknown-arch"
    }
}
