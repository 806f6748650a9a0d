import ReportFormats

/// User names and container identifiers in paths:
///
///     /Users/jane/Orchard/Cart.swift         /Users/USER/Orchard/Cart.swift
///     /home/jane                             /home/USER
///     C:\Users\jane\cellar.pdb               C:\Users\USER\cellar.pdb
///     /var/mobile/Containers/Data/Application/5D0E…/tmp   the same with zeros
enum PathPattern: PrivatePattern {
    /// The maximum length of a user's folder, in bytes.
    private static let nameLimit = 255
    /// The prefixes of user folders. Slashes may be escaped, as in JSON.
    private static let folders = [
        "/Users/", "/home/", "/Users\\/", "/home\\/", "\\Users\\", "\\Users\\\\",
    ].map { Array($0.utf8) }
    private static let user = Array("USER".utf8)
    /// Folders that are not those of users.
    private static let shared = [user, Array("Shared".utf8), Array("Public".utf8)]
    private static let zeros = Array("00000000-0000-0000-0000-000000000000".utf8)

    static func edits(in text: ArraySlice<UInt8>) -> [Edit] {
        var edits: [Edit] = []
        var position = text.startIndex
        while let slash = text[position...].firstIndex(where: isSlash) {
            let edit = userName(in: text, at: slash) ?? identifier(in: text, behind: slash)
            if let edit { edits.append(edit) }
            position = max(edit?.range.upperBound ?? 0, slash + 1)
        }
        return edits
    }

    private static func userName(in text: ArraySlice<UInt8>, at slash: Int) -> Edit? {
        // If two prefixes match, the longer one comes last.
        guard let folder = folders.last(where: { text[slash...].starts(with: $0) })
        else { return nil }
        let start = slash + folder.count
        var name = text[start..<endOfName(in: text[start...].prefix(nameLimit))]
        let isFolder = name.endIndex < text.endIndex && isSlash(text[name.endIndex])
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

    private static func endsName(_ byte: UInt8) -> Bool {
        isSlash(byte) || byte < 0x20 || delimiters.contains(byte)
    }

    private static let delimiters = Array("\"'`:;,<>()[]{}|&=".utf8)

    private static func isSlash(_ byte: UInt8) -> Bool { byte == .slash || byte == .backslash }

    private static func identifier(in text: ArraySlice<UInt8>, behind slash: Int) -> Edit? {
        let end = slash + 1 + zeros.count
        guard end <= text.endIndex, end == text.endIndex || !text[end].isWordByte,
            zip(text[(slash + 1)..<end], zeros).allSatisfy(isOfIdentifier),
            !text[(slash + 1)..<end].elementsEqual(zeros)
        else { return nil }
        return Edit(slash + 1..<end, zeros)
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
