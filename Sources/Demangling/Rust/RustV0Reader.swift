/// Reads the tokens of a Rust v0 name. Back references lead only to earlier positions.
///
/// The grammar is RFC 2603, as updated in the compiler's documentation.
struct RustV0Reader {
    enum Failure: Error {
        case invalid
        case limit
    }

    let bytes: ArraySlice<UInt8>
    var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    func peek() -> UInt8? {
        position < bytes.endIndex ? bytes[position] : nil
    }

    mutating func next() throws(Failure) -> UInt8 {
        guard let byte = peek() else { throw .invalid }
        position += 1
        return byte
    }

    mutating func accept(_ letter: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: letter) else { return false }
        position += 1
        return true
    }

    /// Reads a number: `_` is 0, `0_` is 1, `Z_` is 62.
    mutating func base62() throws(Failure) -> UInt64 {
        if accept("_") { return 0 }
        var value: UInt64 = 0
        while !accept("_") {
            let digit = try digit62(next())
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 62)
            let (sum, tooLargeSum) = product.addingReportingOverflow(digit)
            guard !tooLarge, !tooLargeSum, sum < .max else { throw .invalid }
            value = sum
        }
        return value + 1
    }

    private func digit62(_ byte: UInt8) throws(Failure) -> UInt64 {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt64(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt64(byte - UInt8(ascii: "A")) + 36
        default: throw .invalid
        }
    }

    /// Reads a number after an optional tag: 0 without the tag, otherwise one more than the number.
    mutating func optionalBase62(_ tag: Unicode.Scalar) throws(Failure) -> UInt64 {
        guard accept(tag) else { return 0 }
        let (number, isTooLarge) = try base62().addingReportingOverflow(1)
        guard !isTooLarge else { throw .invalid }
        return number
    }

    /// Reads and decodes an identifier without disambiguator.
    mutating func name() throws(Failure) -> String {
        let (text, isPunycode) = try encodedName()
        if isPunycode { return Punycode(text, delimiter: UInt8(ascii: "_")).text }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads an identifier and leaves it encoded.
    mutating func encodedName() throws(Failure) -> (text: ArraySlice<UInt8>, isPunycode: Bool) {
        let isPunycode = accept("u")
        guard let first = peek(), first.isDigit else { throw .invalid }
        var count = 0
        if !accept("0") {
            while let byte = peek(), byte.isDigit {
                count = count * 10 + Int(byte - UInt8(ascii: "0"))
                guard count <= bytes.count else { throw .invalid }
                position += 1
            }
        }
        _ = accept("_")
        guard count <= bytes.endIndex - position else { throw .invalid }
        position += count
        return (bytes[position - count..<position], isPunycode)
    }

    /// Reads hexadecimal digits up to `_`.
    mutating func hexadecimal() throws(Failure) -> ArraySlice<UInt8> {
        let start = position
        while !accept("_") {
            guard try next().isHexDigit else { throw .invalid }
        }
        return bytes[start..<position - 1]
    }

    /// Returns the target of a back reference `B…_`, whose `B` was just read.
    mutating func backReference() throws(Failure) -> Int {
        let here = position - 1 - bytes.startIndex
        let target = try base62()
        guard target < here else { throw .invalid }
        return bytes.startIndex + Int(target)
    }
}
