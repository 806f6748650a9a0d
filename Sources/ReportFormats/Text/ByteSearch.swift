extension UInt8 {
    package static let backslash = UInt8(ascii: "\\")
    @inlinable package static var newline: UInt8 { UInt8(ascii: "\n") }
    @inlinable package static var carriageReturn: UInt8 { UInt8(ascii: "\r") }
    @inlinable package static var space: UInt8 { UInt8(ascii: " ") }
    static let escape: UInt8 = 0x1b
    /// The byte before each line of a quoted report.
    package static let quote = UInt8(ascii: ">")

    @inlinable package var isBlank: Bool { self == .space || self == UInt8(ascii: "\t") }

    @inlinable package var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }

    @inlinable package var isDigit: Bool {
        self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9")
    }

    /// Whether the byte may be part of the prefix of a quoted or indented line.
    package var isQuotePrefix: Bool { self == .quote || isBlank }
}

extension Collection<UInt8> where SubSequence == ArraySlice<UInt8>, Index == Int {
    /// Returns the first position of a text from `start` on.
    @inlinable package func position(of text: String, from start: Int? = nil) -> Int? {
        let wanted = text.utf8
        guard let first = wanted.first else { return nil }
        var position = start ?? startIndex
        while position < endIndex, endIndex - position >= wanted.count {
            if self[position] == first, self[position...].starts(with: wanted) { return position }
            position += 1
        }
        return nil
    }

    func begins(with text: String, at position: Int? = nil) -> Bool {
        let position = position ?? startIndex
        guard position >= startIndex, position <= endIndex else { return false }
        return self[position...].starts(with: text.utf8)
    }

    /// The bytes without surrounding blanks.
    @inlinable package var trimmed: ArraySlice<UInt8> {
        guard let first = firstIndex(where: { !$0.isBlank && $0 != .carriageReturn }) else {
            return self[endIndex...]
        }
        var end = endIndex
        while end > first, self[end - 1].isBlank || self[end - 1] == .carriageReturn { end -= 1 }
        return self[first..<end]
    }

    @inlinable package var text: String { String(decoding: self, as: UTF8.self) }
}

extension ArraySlice<UInt8> {
    /// Returns the start of an earlier line.
    ///
    /// - Parameters:
    ///   - position: The start of a line.
    ///   - floor: The start of the first line.
    package func lineStart(_ count: Int, linesBefore position: Int, notBefore floor: Int) -> Int {
        var position = position
        for _ in 0..<count where position > floor {
            let newline = self[floor..<position - 1].lastIndex(of: .newline)
            position = newline.map { $0 + 1 } ?? floor
        }
        return Swift.max(floor, position)
    }

    /// Whether the bytes contain a text.
    package func contains(subsequence text: [UInt8]) -> Bool {
        guard let first = text.first else { return true }
        var rest = self
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: text) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
