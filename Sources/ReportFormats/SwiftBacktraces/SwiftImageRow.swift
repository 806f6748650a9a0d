import CallStacks

extension ListedImage {
    /// Reads a row of an image list: start and end separated by an en dash, build ID, name and
    /// path.
    ///
    ///     0x000055db1cbeb000–0x000055db1cbeeb30 988da272efc8924d7f19aff83dd4107d9ff2947d engine /app/engine
    ///
    /// Returns `nil` if the line is not such a row.
    init?(swiftRow line: [UInt8]) {
        let words = line.trimmed.split(separator: .space, maxSplits: 1)
        guard words.count == 2, let range = Self.range(words[0]) else { return nil }
        let text = words[1].trimmed
        let isNameless = text.begins(with: "<no build ID>")
        let id = isNameless ? text.prefix(13) : text.prefix { $0.hexDigitValue != nil }
        guard !id.isEmpty, text.dropFirst(id.count).first?.isBlank == true else { return nil }
        let (name, path) = Self.nameAndPath(text.dropFirst(id.count).trimmed)
        self.init(
            id: isNameless ? nil : ImageID(id.text), name: name, path: path,
            base: RuntimeAddress(range.lowerBound), size: range.upperBound - range.lowerBound)
    }

    private static func range(_ text: ArraySlice<UInt8>) -> Range<UInt64>? {
        guard let dash = text.position(of: "–") else { return nil }
        let (start, end) = (text[..<dash].text, text[(dash + 3)...].text)
        guard start.hasPrefix("0x"), end.hasPrefix("0x"),
            let lower = UInt64(start.dropFirst(2), radix: 16),
            let upper = UInt64(end.dropFirst(2), radix: 16), lower <= upper
        else { return nil }
        return lower..<upper
    }

    private static func nameAndPath(_ text: ArraySlice<UInt8>) -> (name: String, path: String?) {
        if let position = text.position(of: " /") {
            return (text[..<position].trimmed.text, text[(position + 1)...].text)
        }
        if let position = text.position(of: ":\\"), position - text.startIndex > 1,
            text[position - 2].isBlank
        {
            return (text[..<(position - 1)].trimmed.text, text[(position - 1)...].text)
        }
        if let position = text.position(of: " <unknown>") {
            return (text[..<position].trimmed.text, nil)
        }
        return (text.text, nil)
    }
}
