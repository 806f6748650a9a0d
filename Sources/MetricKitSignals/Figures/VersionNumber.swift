/// An app version, ordered by its numbers: 1.10 comes after 1.9.
public struct VersionNumber: Comparable, Sendable {
    /// A sort key whose byte order is the order of the versions, where missing components count as
    /// zero.
    private let key: [UInt8]

    public init(_ text: String) {
        let bytes = Array(text.utf8)
        var key = VersionKey(capacity: bytes.count)
        var start = 0
        for end in 0...bytes.count where end == bytes.count || Self.isSeparator(bytes[end]) {
            if start < end { key.addPart(bytes[start..<end]) }
            start = end + 1
        }
        self.key = key.bytes
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: " "):
            true
        default: false
        }
    }

    /// Missing parts count as zero.
    public static func < (left: Self, right: Self) -> Bool {
        for index in 0..<max(left.key.count, right.key.count) {
            let (one, other) = (left.byte(at: index), right.byte(at: index))
            if one != other { return one < other }
        }
        return false
    }

    private func byte(at index: Int) -> UInt8 { index < key.count ? key[index] : VersionKey.zero }

    /// Returns the indices of versions in ascending order. The order of equal versions does not
    /// change.
    fileprivate static func order(of versions: [String]) -> [Int] {
        let numbers = versions.map(Self.init)
        return numbers.indices.sorted { numbers[$0] < numbers[$1] }
    }
}

/// Encodes the components of a version as a sort key.
///
/// A text component is a tag, its bytes, and a zero byte. The number zero is a tag alone, and any
/// other number is a tag and eight big-endian bytes. Zeros at the end of the version are omitted.
private struct VersionKey {
    private(set) var bytes: [UInt8] = []
    /// The number of zeros since the last other component.
    private var zeroCount = 0

    // Text sorts before every number: 2.0-beta before 2.0.
    private static let text: UInt8 = 1
    static let zero: UInt8 = 2
    private static let number: UInt8 = 3

    /// - Parameter capacity: The length of the version.
    init(capacity: Int) { bytes.reserveCapacity(capacity * 5) }

    mutating func addPart(_ part: ArraySlice<UInt8>) {
        let number = Self.number(part)
        if number == 0 {
            zeroCount += 1
            return
        }
        for _ in 0..<zeroCount { bytes.append(Self.zero) }
        zeroCount = 0
        if let number { add(number) } else { add(text: part) }
    }

    private mutating func add(_ number: UInt64) {
        bytes.append(Self.number)
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
    }

    private mutating func add(text: ArraySlice<UInt8>) {
        bytes.append(Self.text)
        bytes += text
        bytes.append(0)
    }

    /// Returns the value of decimal digits, or `nil` if the component is text.
    private static func number(_ part: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for byte in part {
            let digit = UInt64(byte) &- UInt64(UInt8(ascii: "0"))
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = tens.addingReportingOverflow(digit)
            guard digit < 10, !isTooLarge, !overflow else { return nil }
            number = sum
        }
        return number
    }
}

extension Sequence {
    /// Returns the elements in the order of their versions. Parses each version once.
    public func sorted(byVersion version: (Element) -> String) -> [Element] {
        let elements = Array(self)
        return VersionNumber.order(of: elements.map(version)).map { elements[$0] }
    }
}
