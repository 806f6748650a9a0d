/// The single range of a `Range` header (RFC 9110, section 14.1.2).
enum ByteRange: Hashable {
    case from(Int64, through: Int64?)
    /// The last bytes of the content.
    case last(Int64)

    /// Returns `nil` if the header is not a single range of bytes. It is then ignored.
    init?(header: String) {
        let unit = "bytes="
        guard header.lowercased().hasPrefix(unit) else { return nil }
        let parts = header.dropFirst(unit.count).split(
            separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let (first, last) = (Self.number(parts[0]), Self.number(parts[1]))
        switch (parts[0].isEmpty, parts[1].isEmpty) {
        case (false, true):
            guard let first else { return nil }
            self = .from(first, through: nil)
        case (false, false):
            guard let first, let last, first <= last else { return nil }
            self = .from(first, through: last)
        case (true, false):
            guard let last else { return nil }
            self = .last(last)
        case (true, true): return nil
        }
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }

    /// Returns the positions in content of `count` bytes, or `nil` if it has none of them.
    func positions(in count: Int64) -> Range<Int64>? {
        switch self {
        case .from(let first, let last):
            guard first < count else { return nil }
            return first..<(last.map { min($0, count - 1) + 1 } ?? count)
        case .last(let length):
            guard length > 0, count > 0 else { return nil }
            return max(count - length, 0)..<count
        }
    }
}
