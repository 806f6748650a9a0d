import Problems

/// A value of a setting that may be limited to a range.
protocol SettingQuantity: Comparable {
    /// Parses a value as it is written in the configuration.
    init?(settingText: String)

    /// The value as it is written in the configuration, in the largest unit without a fraction.
    var settingText: String { get }

    /// The values of a setting without limits of its own. Bounds beyond these are not mentioned.
    static var usual: ClosedRange<Self> { get }
    static var unreadable: Problem { get }
    static var tooSmall: String { get }
    static var tooLarge: String { get }
}

extension ClosedRange where Bound: SettingQuantity {
    /// The range in words, such as `1ms to 1h` or `at least 5MiB`, or `nil` if it has no bounds.
    var settingText: String? {
        if upperBound < Bound.usual.upperBound {
            return "\(lowerBound.settingText) to \(upperBound.settingText)"
        }
        return lowerBound > Bound.usual.lowerBound ? "at least \(lowerBound.settingText)" : nil
    }

    /// Returns the problem with a value that cannot be parsed or is outside of the range, or `nil`
    /// if it is in the range.
    func problem(with text: String) -> Problem? {
        guard let value = Bound(settingText: text) else { return Bound.unreadable }
        guard !contains(value) else { return nil }
        return Problem(
            detail: value < lowerBound ? Bound.tooSmall : Bound.tooLarge,
            suggestion: settingText.map { "use \($0)" } ?? "use a larger size")
    }
}

extension Duration: SettingQuantity {
    private static let milliseconds: [(unit: String, count: Int64)] = [
        ("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000),
        ("ms", 1),
    ]

    /// A century is practically unlimited, and cannot overflow sums.
    static let usual = Duration.zero...(.seconds(36_500 * 86_400))
    static let unreadable = Problem(
        detail: "is not a duration",
        suggestion: "use a number with a unit, such as 200ms, 5s, 10m, 12h or 30d")
    static let tooSmall = "is too short"
    static let tooLarge = "is too long"

    static func minutes(_ count: Int64) -> Self { .seconds(60 * count) }
    static func hours(_ count: Int64) -> Self { .minutes(60 * count) }
    static func days(_ count: Int64) -> Self { .hours(24 * count) }

    /// Parses a whole number with a unit, or 0.
    init?(settingText: String) {
        guard let (number, unit) = settingText.numberAndUnit else { return nil }
        let known = Self.milliseconds.first { $0.unit == unit }?.count
        let factor = unit.isEmpty && number == 0 ? 1 : known
        guard let factor, number <= Self.usual.upperBound.wholeMilliseconds / factor else {
            return nil
        }
        self = .milliseconds(number * factor)
    }

    var settingText: String {
        let count = wholeMilliseconds
        // Weeks are read, but days are more usual.
        let unit = Self.milliseconds.dropFirst().first { count % $0.count == 0 }
        guard count > 0, let unit else { return "0s" }
        return "\(count / unit.count)\(unit.unit)"
    }

    private var wholeMilliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}

/// A number of bytes, written like `64MiB`.
public struct ByteSize: SettingQuantity, Hashable, Sendable {
    let bytes: Int64

    private static let units: [String: Int64] = [
        "": 1, "b": 1, "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000, "tb": 1_000_000_000_000,
        "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
    ]
    private static let binaryUnits: [(unit: String, bytes: Int64)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
    ]

    static let usual = Self(bytes: 1)...Self(bytes: .max)
    static let unreadable = Problem(
        detail: "is not a size", suggestion: "use a number with a unit, such as 64MiB or 2GB")
    static let tooSmall = "is too small"
    static let tooLarge = "is too large"

    static func mebibytes(_ count: Int64) -> Self { Self(bytes: count << 20) }

    /// Parses a number of bytes.
    static func bytes(_ text: String) -> Int64? { Self(settingText: text)?.bytes }

    public static func < (left: Self, right: Self) -> Bool { left.bytes < right.bytes }

    init(bytes: Int64) { self.bytes = bytes }

    /// Parses a whole number with a unit in any case. Without a unit, it is a number of bytes.
    init?(settingText: String) {
        guard let (number, unit) = settingText.numberAndUnit,
            let factor = Self.units[unit.lowercased()]
        else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
        if overflow { return nil }
        self.bytes = bytes
    }

    var settingText: String {
        guard bytes > 0, let unit = Self.binaryUnits.first(where: { bytes % $0.bytes == 0 }) else {
            return "0B"
        }
        return "\(bytes / unit.bytes)\(unit.unit)"
    }
}

extension String {
    /// The number and unit, such as `64` and `MiB`, with or without a space between them.
    fileprivate var numberAndUnit: (number: Int64, unit: String)? {
        let digits = prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits) else { return nil }
        let unit = self[digits.endIndex...]
        return (number, String(unit.first == " " ? unit.dropFirst() : unit))
    }
}
