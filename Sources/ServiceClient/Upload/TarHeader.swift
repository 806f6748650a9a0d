/// The headers of files in a tar archive, in blocks of 512 bytes.
enum TarHeader {
    private static let blockBytes = 512
    /// The maximum length of a name in a header; longer names precede it as GNU's `@LongLink`.
    private static let nameBytes = 100
    /// The first size that does not fit in 11 octal digits.
    private static let largeSize = 1 << 33

    /// Returns the bytes before the contents of a file.
    static func bytes(name: String, byteCount: Int) -> [UInt8] {
        let name = Array(name.utf8)
        guard name.count > nameBytes else {
            return header(name: name, byteCount: byteCount, type: "0")
        }
        let link = header(
            name: Array("././@LongLink".utf8), byteCount: name.count + 1, type: "L")
        return link + name + [0] + padding(after: name.count + 1)
            + header(name: Array(name.prefix(nameBytes)), byteCount: byteCount, type: "0")
    }

    /// Returns the zeros that fill the last block of a file.
    static func padding(after byteCount: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: -byteCount & (blockBytes - 1))
    }

    private static func header(name: [UInt8], byteCount: Int, type: String) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: blockBytes)
        func put(_ bytes: some Collection<UInt8>, at position: Int) {
            header.replaceSubrange(position..<position + bytes.count, with: bytes)
        }
        put(name, at: 0)
        put("0000644\0".utf8, at: 100)
        put("0000000\00000000\0".utf8, at: 108)
        put(size(byteCount), at: 124)
        put("00000000000\0".utf8, at: 136)
        // The checksum is computed with spaces in its own field.
        put("        ".utf8, at: 148)
        put(type.utf8, at: 156)
        put("ustar\u{0}00".utf8, at: 257)
        put((octal(header.reduce(0) { $0 + Int($1) }, digits: 6) + "\0 ").utf8, at: 148)
        return header
    }

    private static func size(_ byteCount: Int) -> [UInt8] {
        guard byteCount >= largeSize else {
            return Array((octal(byteCount, digits: 11) + "\0").utf8)
        }
        let number = (0..<8).reversed().map { UInt8(truncatingIfNeeded: byteCount >> (8 * $0)) }
        return [0x80, 0, 0, 0] + number
    }

    private static func octal(_ number: Int, digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(digits - text.count, 0)) + text
    }
}
