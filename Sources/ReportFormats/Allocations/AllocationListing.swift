/// A line about a block of memory, with the start of its contents:
///
///     1 (4.00K) ROOT LEAK: 0x7f9daa800600 [4096]  length: 3075  "<?xml version…"
///     Leak: 0x1118c0e60  size=32  zone: DefaultMallocZone_0x105a92000	string 'com.apple.quarantine'
///     	0x3f3af460 0x00007fff 0x7edf2f40 0x00007fff 	`.:.....@/.~....
package struct AllocationListing {
    /// The contents of the memory, from the start of the line, or `nil` if the line has none.
    package let contents: Range<Int>?
    /// `Leak: 0x1118c0e60  size=32`, which names the stack that follows, or `nil` for other lines.
    let name: String?

    package init?(_ line: ArraySlice<UInt8>) {
        guard let first = line.first(where: { !$0.isBlank }),
            first.isDigit || first == UInt8(ascii: "L")
        else { return nil }
        let bytes = NodeBytes(line)
        let start = bytes.skipBlanks(from: 0)
        if bytes.begins(with: "Leak: 0x", at: start) {
            let zone = bytes.first("  zone: ", in: start..<bytes.count)
            name = bytes.text(start..<(zone ?? bytes.trimmedEnd(start..<bytes.count)))
            contents = Self.contents(of: bytes, from: zone ?? start)
        } else if Self.isSized(bytes, from: start) {
            name = nil
            let end = bytes.first("] ", in: start..<bytes.count)
            contents = end.flatMap { Self.contents(of: bytes, from: $0) }
        } else if start > 0, Self.isMemory(bytes, from: start) {
            name = nil
            contents = start..<bytes.count
        } else {
            return nil
        }
    }

    /// Whether a line states a number of blocks and their size.
    private static func isSized(_ bytes: NodeBytes, from start: Int) -> Bool {
        let digits = bytes.bytes[start...].prefix(while: \.isDigit)
        return !digits.isEmpty && digits.count < 20
            && bytes.endOfSize(from: digits.endIndex + 1) != nil
    }

    /// Whether a line shows 16 bytes of memory, as numbers and as text.
    private static func isMemory(_ bytes: NodeBytes, from start: Int) -> Bool {
        let words = Words(bytes.bytes[start...])
        return words.count > 4
            && words[..<4].allSatisfy { $0.count == 10 && bytes.hexadecimal($0) != nil }
    }

    /// Returns the text from the first quote on, with its length.
    private static func contents(of bytes: NodeBytes, from start: Int) -> Range<Int>? {
        let rest = bytes.bytes[start...]
        let quotes = Array("\"'".utf8)
        guard let quote = rest.firstIndex(where: quotes.contains) else { return nil }
        let length = bytes.first("length: ", in: start..<quote)
        return (length ?? quote)..<bytes.count
    }
}
