import StackRendering

/// The amount that a sampled diagnostic is about, such as the duration of a hang. Each call has a
/// share in it.
struct MeasuredAmount: Hashable {
    private enum Unit: Hashable { case milliseconds, bytes }

    private let value: Double
    private let unit: Unit

    /// Reads an amount such as `3 sec` or `1.5 GB`.
    ///
    /// - Returns: `nil` if the unit is unknown, or if the number is not a plain decimal one, because
    ///   a comma may separate decimals or thousands.
    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let number = Double(parts[0]), number > 0, number.isFinite,
            let (unit, factor) = Self.units[parts[1].lowercased()]
        else { return nil }
        value = number * factor
        self.unit = unit
    }

    private static let units: [String: (Unit, Double)] = [
        "ms": (.milliseconds, 1), "s": (.milliseconds, 1_000), "sec": (.milliseconds, 1_000),
        "min": (.milliseconds, 60_000), "bytes": (.bytes, 1), "kb": (.bytes, 1e3),
        "mb": (.bytes, 1e6), "gb": (.bytes, 1e9),
    ]

    /// The name of a column with shares of it.
    var name: String {
        switch unit {
        case .milliseconds: "Time"
        case .bytes: "Size"
        }
    }

    /// `1.9 s`, `62 ms`, `1.4 MB`
    func text(ofShare share: Double) -> String {
        let part = value * share
        guard unit == .milliseconds else {
            return byteText(Int64(min(part, Double(Int64.max / 2))))
        }
        guard part >= 1_000 else { return "\(Int(part.rounded())) ms" }
        guard part < 100_000 else { return "\(grouped(Int(min(part, 1e15) / 1_000))) s" }
        let tenths = Int((part / 100).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
