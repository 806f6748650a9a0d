extension Bool {
    /// Parses the Boolean words of YAML.
    init?(settingText: String) {
        switch settingText.lowercased() {
        case "true", "yes", "on": self = true
        case "false", "no", "off": self = false
        default: return nil
        }
    }
}

extension Duration {
    /// A century, which is practically unlimited and cannot overflow sums.
    private static let most: Int64 = 36_500 * 86_400_000

    private static let milliseconds: [String: Int64] = [
        "ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000,
    ]

    /// Parses a whole number with a unit, or 0.
    init?(settingText: String) {
        guard let (number, unit) = settingText.numberAndUnit else { return nil }
        let factor = unit.isEmpty && number == 0 ? 1 : Self.milliseconds[unit]
        guard let factor, number <= Self.most / factor else { return nil }
        self = .milliseconds(number * factor)
    }
}

/// A number of bytes, written like `64MiB`.
enum ByteSize {
    private static let units: [String: Int64] = [
        "": 1, "b": 1, "kb": 1_000, "mb": 1_000_000, "gb": 1_000_000_000, "tb": 1_000_000_000_000,
        "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
    ]

    /// Parses a whole number with a unit in any case. Without a unit, it is a number of bytes.
    static func bytes(_ text: String) -> Int64? {
        guard let (number, unit) = text.numberAndUnit, let factor = units[unit.lowercased()] else {
            return nil
        }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : bytes
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
