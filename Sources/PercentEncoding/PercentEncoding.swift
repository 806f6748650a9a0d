extension String {
    /// Returns the text with every byte of its UTF-8 percent-encoded that is not unreserved (RFC
    /// 3986, 2.3), with digits in upper case.
    ///
    /// S3 compares signatures of this exact encoding: see "UriEncode" in "Signature Calculations
    /// for the Authorization Header".
    ///
    /// - Parameter keepingSlashes: Whether slashes are kept, as in a path.
    public func percentEncoded(keepingSlashes: Bool = false) -> String {
        // Most names need no encoding, and checking that is fast.
        if utf8.allSatisfy(Self.isUnreserved) { return self }
        var encoded: [UInt8] = []
        encoded.reserveCapacity(3 * utf8.count)
        for byte in utf8 {
            if Self.isUnreserved(byte) || (keepingSlashes && byte == UInt8(ascii: "/")) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(Self.digit(byte >> 4))
                encoded.append(Self.digit(byte & 0xf))
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
