/// The labels of a series, sorted by name, so that their order in the program does not matter.
struct SeriesLabels: Hashable {
    /// The maximum length of a value, in bytes of UTF-8. Longer values are truncated.
    static let valueBytesLimit = 256

    /// The labels in the form `method="POST",path="/v1/logs"`.
    let text: String
    private let names: [String]

    /// - Parameter dimensions: Names and values. If a name occurs more than once, the last value
    ///   counts.
    init(_ dimensions: [(String, String)]) {
        var values: [String: String] = [:]
        for (name, value) in dimensions { values[Self.name(name)] = value }
        self.init(values: values)
    }

    private init(values: [String: String]) {
        names = values.keys.sorted()
        text = names.map { "\($0)=\"\(Self.escaped(values[$0] ?? ""))\"" }.joined(separator: ",")
    }

    func replacingValues(with value: String) -> Self {
        Self(values: Dictionary(uniqueKeysWithValues: names.map { ($0, value) }))
    }

    static func == (left: Self, right: Self) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }

    private static func name(_ name: String) -> String {
        let name = MetricName.restricted(name, allowingColons: false)
        // `le` is the bucket label of histograms, and names with `__` are reserved.
        if name == "le" || name.hasPrefix("__") { return "label_\(name)" }
        return name
    }

    /// Returns a value truncated to the limit at a character boundary, with `\\`, `"` and line
    /// breaks escaped.
    private static func escaped(_ value: String) -> String {
        var escaped = ""
        var byteCount = 0
        for scalar in value.unicodeScalars {
            byteCount += UTF8.width(scalar)
            if byteCount > valueBytesLimit { break }
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
