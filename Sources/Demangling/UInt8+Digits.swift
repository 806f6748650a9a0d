extension UInt8 {
    var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

    /// Whether the byte is a hexadecimal digit as Rust's manglings have them, in lower case.
    var isHexDigit: Bool { isDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= self }

    /// The value of such a digit.
    var hexDigitValue: UInt8 {
        isDigit ? self - UInt8(ascii: "0") : self - UInt8(ascii: "a") + 10
    }
}
