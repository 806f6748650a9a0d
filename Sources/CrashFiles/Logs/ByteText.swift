extension UInt8 {
    static let backslash = UInt8(ascii: "\\")
    static let newline = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let escape: UInt8 = 0x1b

    var isBlank: Bool { self == .space || self == UInt8(ascii: "\t") }

    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}

extension Collection<UInt8> where SubSequence == ArraySlice<UInt8>, Index == Int {
    /// Where a text begins, from `start` on.
    func position(of text: String, from start: Int? = nil) -> Int? {
        let wanted = text.utf8
        guard let first = wanted.first else { return nil }
        var place = start ?? startIndex
        while place < endIndex, endIndex - place >= wanted.count {
            if self[place] == first, self[place...].starts(with: wanted) { return place }
            place += 1
        }
        return nil
    }

    func begins(with text: String, at place: Int? = nil) -> Bool {
        let place = place ?? startIndex
        guard place >= startIndex, place <= endIndex else { return false }
        return self[place...].starts(with: text.utf8)
    }

    /// Without blanks at its ends.
    var trimmed: ArraySlice<UInt8> {
        guard let first = firstIndex(where: { !$0.isBlank && $0 != .carriageReturn }) else {
            return self[endIndex...]
        }
        var end = endIndex
        while end > first, self[end - 1].isBlank || self[end - 1] == .carriageReturn { end -= 1 }
        return self[first..<end]
    }

    var text: String { String(decoding: self, as: UTF8.self) }
}

extension ArraySlice<UInt8> {
    /// Where the line begins that stands some lines before another.
    ///
    /// - Parameters:
    ///   - place: Where that other line begins.
    ///   - floor: Where the first line begins.
    func lineStart(_ count: Int, linesBefore place: Int, notBefore floor: Int) -> Int {
        var place = place
        for _ in 0..<count where place > floor {
            let newline = self[floor..<place - 1].lastIndex(of: .newline)
            place = newline.map { $0 + 1 } ?? floor
        }
        return Swift.max(floor, place)
    }
}
