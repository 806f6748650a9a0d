import ReportFormats

/// Email addresses: `jane.doe@example.com`.
enum EmailPattern: PrivatePattern {
    static func edits(in text: ArraySlice<UInt8>) -> [Edit] {
        var edits: [Edit] = []
        var position = text.startIndex
        while let sign = text[position...].firstIndex(of: UInt8(ascii: "@")) {
            position = sign + 1
            guard let start = text[..<sign].lastRunStart(where: isOfName), start < sign,
                let end = endOfDomain(in: text, from: position)
            else { continue }
            edits.append(.redaction(start..<end))
        }
        return edits
    }

    /// Returns the end of a domain with a dot and a last label of letters, or `nil` if there is
    /// none.
    private static func endOfDomain(in text: ArraySlice<UInt8>, from start: Int) -> Int? {
        let run = text[start...].prefix(while: isOfDomain)
        // An underscore follows the version of a symbol, not a domain.
        if run.endIndex < text.endIndex, text[run.endIndex] == UInt8(ascii: "_") { return nil }
        let domain = run[..<(run.lastIndex(where: \.isWordByte).map { $0 + 1 } ?? start)]
        guard let dot = domain.lastIndex(of: UInt8(ascii: ".")), dot > start else { return nil }
        let label = domain[(dot + 1)...]
        return label.count >= 2 && label.allSatisfy(\.isLetter) ? domain.endIndex : nil
    }

    private static func isOfDomain(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isWordByte || "+-.%".utf8.contains(byte) || byte >= 0x80
    }
}

extension ArraySlice<UInt8> {
    /// Returns the start of the last run of matching bytes, or `nil` if the last byte does not
    /// match.
    func lastRunStart(where isOfRun: (UInt8) -> Bool) -> Int? {
        guard let last, isOfRun(last) else { return nil }
        return lastIndex { !isOfRun($0) }.map { $0 + 1 } ?? startIndex
    }
}
