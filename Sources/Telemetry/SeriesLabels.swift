/// The labels of one series, sorted by name, so that the order in which the program gives them makes
/// no difference.
struct SeriesLabels: Hashable {
    /// The most that one value may hold, in bytes of UTF-8. The rest is left out.
    static let valueBytesLimit = 256

    /// `method="POST",path="/v1/logs"`: as they stand between braces.
    let text: String
    private let names: [String]

    /// - Parameter dimensions: Of two with the same name the later one counts.
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
        // The label of a histogram's buckets, and names that readers keep for themselves.
        if name == "le" || name.hasPrefix("__") { return "label_\(name)" }
        return name
    }

    /// Cut to the limit between two characters, with `\`, `"` and line breaks escaped.
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
