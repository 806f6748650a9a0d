extension String {
    /// Returns the text with every byte of UTF-8 encoded that is not unreserved.
    ///
    /// S3 compares signatures of this exact encoding: `A-Z a-z 0-9 - . _ ~` unencoded, hexadecimal
    /// digits in upper case, and slashes of a path kept. See "UriEncode" in "Signature Calculations
    /// for the Authorization Header", and RFC 3986, 2.3.
    func percentEncoded(keepingSlashes: Bool = false) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        for byte in utf8 {
            if Self.isUnreserved(byte) || (keepingSlashes && byte == 0x2f) {
                bytes.append(byte)
            } else {
                bytes += [0x25, Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5a, 0x61...0x7a, 0x30...0x39, 0x2d, 0x2e, 0x5f, 0x7e: true
        default: false
        }
    }
}
