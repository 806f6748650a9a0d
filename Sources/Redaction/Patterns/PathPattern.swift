import ReportFormats

/// User names and container identifiers in paths:
///
///     /Users/jane/Orchard/Cart.swift         /Users/USER/Orchard/Cart.swift
///     /home/jane                             /home/USER
///     C:\Users\jane\cellar.pdb               C:\Users\USER\cellar.pdb
///     ?file=%2FUsers%2Fjane%2FCart.swift     ?file=%2FUsers%2FUSER%2FCart.swift
///     /var/mobile/Containers/Data/Application/5D0E…/tmp   the same with zeros
enum PathPattern: PrivatePattern {
    /// The maximum length of a user's folder, in bytes.
    private static let nameLimit = 255
    /// The folders that contain those of users.
    private static let folders = ["Users", "home"].map { Array($0.utf8) }
    /// Slashes as they are, escaped as in JSON, and percent-encoded once or twice; of those that
    /// begin equally, the longest first.
    private static let slashes = [
        "\\/", "\\\\", "/", "\\", "%2F", "%2f", "%5C", "%5c", "%252F", "%252f", "%255C", "%255c",
    ].map { Array($0.utf8) }
    private static let percent = UInt8(ascii: "%")
    private static let user = Array("USER".utf8)
    /// Folders that are not those of users.
    private static let shared = [user, Array("Shared".utf8), Array("Public".utf8)]
    private static let zeros = Array("00000000-0000-0000-0000-000000000000".utf8)

    static func edits(in text: ArraySlice<UInt8>) -> [Edit] {
        var edits: [Edit] = []
        var position = text.startIndex
        while let slash = text[position...].firstIndex(where: { isSlash($0) || $0 == percent }) {
            position = slash + 1
            guard let end = endOfSlash(in: text, at: slash) else { continue }
            let edit = userName(in: text, after: slash..<end) ?? identifier(in: text, from: end)
            if let edit { edits.append(edit) }
            position = max(edit?.range.upperBound ?? 0, end)
        }
        return edits
    }

    /// Returns the end of a slash in one of its forms, or `nil` if there is none.
    private static func endOfSlash(in text: ArraySlice<UInt8>, at position: Int) -> Int? {
        slashes.first { text[position...].starts(with: $0) }.map { position + $0.count }
    }

    private static func userName(in text: ArraySlice<UInt8>, after slash: Range<Int>) -> Edit? {
        guard let folder = folders.first(where: { text[slash.upperBound...].starts(with: $0) }),
            let start = endOfSlash(in: text, at: slash.upperBound + folder.count)
        else { return nil }
        let rest = text[start...].prefix(nameLimit)
        let isEncoded =
            text[slash.lowerBound] == percent || text[slash.upperBound + folder.count] == percent
        var name = text[start..<(isEncoded ? endOfEncodedName(in: rest) : endOfName(in: rest))]
        let isFolder = endOfSlash(in: text, at: name.endIndex) != nil
        while !isFolder, name.last == UInt8(ascii: ".") { name.removeLast() }
        guard !name.isEmpty, isFolder || !isSourceFile(name),
            !shared.contains(where: { name.elementsEqual($0) })
        else { return nil }
        return Edit(start..<name.endIndex, user)
    }

    private static func isSourceFile(_ name: ArraySlice<UInt8>) -> Bool {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return sourceExtensions.contains { name[(dot + 1)...].elementsEqual($0) }
    }

    private static let sourceExtensions = [
        "swift", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "m", "mm", "rs", "s", "S",
    ].map { Array($0.utf8) }

    /// Returns the end of a user's name, which may contain blanks if a slash follows right after
    /// it.
    private static func endOfName(in text: ArraySlice<UInt8>) -> Int {
        let end = text.firstIndex(where: endsName) ?? text.endIndex
        let isFolder = end < text.endIndex && isSlash(text[end])
        if isFolder, end > text.startIndex, !text[end - 1].isBlank { return end }
        return text[..<end].firstIndex(where: \.isBlank) ?? end
    }

    /// Returns the end of a percent-encoded name. It may contain encoded blanks even at its end,
    /// because encoded text is rarely a sentence.
    private static func endOfEncodedName(in text: ArraySlice<UInt8>) -> Int {
        text.indices.first { index in
            endsName(encodedByte(in: text[index...]) ?? text[index]) || text[index].isBlank
                || endOfSlash(in: text, at: index) != nil
        } ?? text.endIndex
    }

    /// Returns the byte that a text starts with if it is percent-encoded (RFC 3986, section 2.1).
    private static func encodedByte(in text: ArraySlice<UInt8>) -> UInt8? {
        guard text.first == percent, text.count >= 3,
            let high = text[text.startIndex + 1].hexDigitValue,
            let low = text[text.startIndex + 2].hexDigitValue
        else { return nil }
        return UInt8(high << 4 | low)
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        isSlash(byte) || byte < 0x20 || delimiters.contains(byte)
    }

    private static let delimiters = Array("\"'`:;,<>()[]{}|&=".utf8)

    private static func isSlash(_ byte: UInt8) -> Bool { byte == .slash || byte == .backslash }

    private static func identifier(in text: ArraySlice<UInt8>, from start: Int) -> Edit? {
        let end = start + zeros.count
        guard end <= text.endIndex, end == text.endIndex || !text[end].isWordByte,
            zip(text[start..<end], zeros).allSatisfy(isOfIdentifier),
            !text[start..<end].elementsEqual(zeros)
        else { return nil }
        return Edit(start..<end, zeros)
    }

    private static func isOfIdentifier(_ byte: UInt8, zero: UInt8) -> Bool {
        zero == UInt8(ascii: "-") ? byte == zero : byte.hexDigitValue != nil
    }
}

extension UInt8 {
    static let slash = UInt8(ascii: "/")

    /// Whether the byte is a letter, a digit or an underscore.
    var isWordByte: Bool { isLetter || isDigit || self == UInt8(ascii: "_") }
}
