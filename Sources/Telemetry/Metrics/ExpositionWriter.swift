/// Writes the Prometheus text format 0.0.4.
struct ExpositionWriter {
    private(set) var text = ""

    /// Writes the `HELP` and `TYPE` lines of a metric.
    mutating func begin(_ name: String, _ kind: MetricKind, description: String?) {
        if let description { text += "# HELP \(name) \(Self.escaped(description))\n" }
        text += "# TYPE \(name) \(kind.rawValue)\n"
    }

    /// - Parameter labels: The text between the braces, or nothing.
    mutating func sample(_ name: String, labels: String = "", value: Double) {
        text += name
        if !labels.isEmpty { text += "{\(labels)}" }
        text += " \(Self.number(value))\n"
    }

    private static func escaped(_ description: String) -> String {
        description.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }

    private static func number(_ value: Double) -> String {
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return String(whole) }
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return "\(value)"
    }
}
