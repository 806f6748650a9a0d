/// An app version, ordered by its numbers: 1.10 comes after 1.9.
public struct VersionNumber: Comparable, Sendable {
    private let parts: [Part]

    private enum Part: Comparable {
        // Text sorts before every number: 2.0-beta before 2.0.
        case text(String)
        case number(UInt64)
    }

    public init(_ text: String) {
        var parts = text.utf8.split(whereSeparator: Self.separators.contains).map { part in
            UInt64(Substring(part)).map(Part.number) ?? .text(String(Substring(part)))
        }
        while parts.last == .number(0) { parts.removeLast() }
        self.parts = parts
    }

    private static let separators = Array(".-+() ".utf8)

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
