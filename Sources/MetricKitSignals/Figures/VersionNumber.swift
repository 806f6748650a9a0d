/// An app version, ordered by its numbers: 1.10 comes after 1.9.
public struct VersionNumber: Comparable, Sendable {
    private let parts: [Part]

    private enum Part: Comparable {
        // Text sorts before every number: 2.0-beta before 2.0.
        case text(String)
        case number(UInt64)
    }

    public init(_ text: String) {
        let bytes = Array(text.utf8)
        var parts: [Part] = []
        parts.reserveCapacity(Self.usualCount)
        var start = 0
        for end in 0...bytes.count where end == bytes.count || Self.isSeparator(bytes[end]) {
            if start < end { parts.append(Self.part(bytes[start..<end])) }
            start = end + 1
        }
        while parts.last == .number(0) { parts.removeLast() }
        self.parts = parts
    }

    /// The number of parts of most versions.
    private static let usualCount = 4

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: " "):
            true
        default: false
        }
    }

    private static func part(_ bytes: ArraySlice<UInt8>) -> Part {
        var number: UInt64 = 0
        for byte in bytes {
            let digit = UInt64(byte) &- UInt64(UInt8(ascii: "0"))
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = tens.addingReportingOverflow(digit)
            guard digit < 10, !isTooLarge, !overflow else {
                return .text(String(decoding: bytes, as: UTF8.self))
            }
            number = sum
        }
        return .number(number)
    }

    /// Missing parts count as zero.
    public static func < (left: Self, right: Self) -> Bool {
        for index in 0..<max(left.parts.count, right.parts.count) {
            let (one, other) = (left.part(at: index), right.part(at: index))
            if one != other { return one < other }
        }
        return false
    }

    private func part(at index: Int) -> Part { index < parts.count ? parts[index] : .number(0) }
}

extension Sequence {
    /// Returns the elements in the order of their versions, and parses each version once.
    public func sorted(byVersion version: (Element) -> String) -> [Element] {
        map { (version: VersionNumber(version($0)), element: $0) }
            .sorted { $0.version < $1.version }
            .map(\.element)
    }
}
