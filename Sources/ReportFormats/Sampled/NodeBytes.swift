/// The bytes of a call-tree line, searched from both ends, because names may contain anything.
package struct NodeBytes {
    let bytes: [UInt8]

    package init(_ line: ArraySlice<UInt8>) { bytes = Array(line) }

    subscript(place: Int) -> UInt8 { bytes[place] }

    var count: Int { bytes.count }

    /// Returns the first position from `start` on that is not blank.
    func skipBlanks(from start: Int) -> Int {
        bytes[start...].firstIndex { !$0.isBlank } ?? count
    }

    /// Returns the end of a range without trailing blanks.
    func trimmedEnd(_ range: Range<Int>) -> Int {
        (bytes[range].lastIndex { !$0.isBlank }).map { $0 + 1 } ?? range.lowerBound
    }

    func ends(_ range: Range<Int>, with text: StaticString) -> Bool {
        range.count >= text.utf8CodeUnitCount
            && holds(text, at: range.upperBound - text.utf8CodeUnitCount)
    }

    func holds(_ text: StaticString, at place: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard place >= 0, place + length <= count else { return false }
        for step in 0..<length where unsafe bytes[place + step] != text.utf8Start[step] {
            return false
        }
        return true
    }

    /// Returns the last position of a text in a range.
    func last(_ text: StaticString, in range: Range<Int>) -> Int? {
        var place = range.upperBound - text.utf8CodeUnitCount
        while place >= range.lowerBound {
            if holds(text, at: place) { return place }
            place -= 1
        }
        return nil
    }

    /// Returns the first position of a text in a range.
    func first(_ text: StaticString, in range: Range<Int>) -> Int? {
        let end = range.upperBound - text.utf8CodeUnitCount
        var place = range.lowerBound
        while place <= end {
            if holds(text, at: place) { return place }
            place += 1
        }
        return nil
    }

    /// Returns the parenthesis that is closed right before `end`.
    func openingParenthesis(before end: Int, from start: Int) -> Int? {
        var depth = 0
        for place in (start..<max(start, end)).reversed() {
            if bytes[place] == UInt8(ascii: ")") { depth += 1 }
            if bytes[place] == UInt8(ascii: "(") { depth -= 1 }
            if depth == 0 { return place }
        }
        return nil
    }

    /// Reads `0x` and hexadecimal digits, below 2⁶⁴ and nothing else.
    func hexadecimal(_ range: Range<Int>) -> UInt64? {
        guard range.count > 2, holds("0x", at: range.lowerBound) else { return nil }
        return hexadecimalDigits(range.lowerBound + 2..<range.upperBound)
    }

    /// Reads hexadecimal digits, below 2⁶⁴ and nothing else.
    func hexadecimalDigits(_ range: Range<Int>) -> UInt64? { UInt64(hexDigits: bytes[range]) }

    /// Reads decimal digits, below 2⁶⁴ and nothing else.
    func decimal(_ range: Range<Int>) -> UInt64? {
        guard !range.isEmpty else { return nil }
        var value: UInt64 = 0
        for byte in bytes[range] {
            guard byte.isDigit else { return nil }
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = product.addingReportingOverflow(UInt64(byte - 0x30))
            if isTooLarge || overflows { return nil }
            value = sum
        }
        return value
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
