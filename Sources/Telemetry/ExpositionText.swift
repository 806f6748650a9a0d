/// Metrics as text, a line a value.
struct ExpositionText {
    private let format: ExpositionFormat
    private var text = ""

    init(format: ExpositionFormat) { self.format = format }

    /// Begins the lines of one metric: what it means, where that is known, and what kind it is.
    mutating func begin(_ name: String, _ kind: MetricKind, meaning: String?) {
        // OpenMetrics calls a counter by its name without the ending that its samples have.
        let isShorter = format == .openMetrics && kind == .counter && name.hasSuffix("_total")
        let name = isShorter ? String(name.dropLast("_total".count)) : name
        if let meaning { text += "# HELP \(name) \(escaped(meaning))\n" }
        text += "# TYPE \(name) \(kind.rawValue)\n"
    }

    /// - Parameter labels: As they stand between the braces, or nothing.
    mutating func sample(_ name: String, labels: String = "", _ value: Double) {
        text += name
        if !labels.isEmpty { text += "{\(labels)}" }
        text += " \(Self.number(value))\n"
    }

    /// The whole text. OpenMetrics has a last line, which tells a reader that nothing was cut off.
    func finished() -> String { format == .openMetrics ? text + "# EOF\n" : text }

    private func escaped(_ meaning: String) -> String {
        meaning.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\"" where format == .openMetrics: text += "\\\""
            default: text.append(character)
            }
        }
    }

    private static func number(_ value: Double) -> String {
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return String(whole) }
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return "\(value)"
    }
}
