/// An app version, ordered by its numbers: 1.10 comes after 1.9.
public struct VersionNumber: Comparable, Sendable {
    private let parts: [Part]

    private enum Part: Comparable {
        // Text sorts before every number: 2.0-beta before 2.0.
        case text(String)
        case number(UInt64)
    }

    public init(_ text: String) {
        var parts: [Part] = text.split { ".-+() ".contains($0) }
            .map { part in UInt64(part).map(Part.number) ?? .text(String(part)) }
        while parts.last == .number(0) { parts.removeLast() }
        self.parts = parts
    }

    /// Missing parts count as zero.
    public static func < (left: Self, right: Self) -> Bool {
        for index in 0..<max(left.parts.count, right.parts.count) {
            let pair = [left, right].map { index < $0.parts.count ? $0.parts[index] : .number(0) }
            if pair[0] != pair[1] { return pair[0] < pair[1] }
        }
        return false
    }
}
