/// The bytes of a call-tree line, searched from both ends, because names may contain anything.
package struct NodeBytes {
    let bytes: [UInt8]

    package init(_ line: ArraySlice<UInt8>) { bytes = Array(line) }

    subscript(position: Int) -> UInt8 { bytes[position] }

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
            && begins(with: text, at: range.upperBound - text.utf8CodeUnitCount)
    }

    func begins(with text: StaticString, at position: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard position >= 0, position + length <= count else { return false }
        for step in 0..<length where unsafe bytes[position + step] != text.utf8Start[step] {
            return false
        }
        return true
    }

    /// Returns the last position of a text in a range.
    func last(_ text: StaticString, in range: Range<Int>) -> Int? {
        var position = range.upperBound - text.utf8CodeUnitCount
        while position >= range.lowerBound {
            if begins(with: text, at: position) { return position }
            position -= 1
        }
        return nil
    }

    /// Returns the first position of a text in a range.
    func first(_ text: StaticString, in range: Range<Int>) -> Int? {
        let end = range.upperBound - text.utf8CodeUnitCount
        var position = range.lowerBound
        while position <= end {
            if begins(with: text, at: position) { return position }
            position += 1
        }
        return nil
    }

    /// Returns the parenthesis that is closed right before `end`.
    func openingParenthesis(before end: Int, from start: Int) -> Int? {
        var depth = 0
        for position in (start..<max(start, end)).reversed() {
            if bytes[position] == UInt8(ascii: ")") { depth += 1 }
            if bytes[position] == UInt8(ascii: "(") { depth -= 1 }
            if depth == 0 { return position }
        }
        return nil
    }

    /// Reads `0x` and hexadecimal digits, below 2⁶⁴ and nothing else.
    func hexadecimal(_ range: Range<Int>) -> UInt64? {
        guard range.count > 2, begins(with: "0x", at: range.lowerBound) else { return nil }
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
