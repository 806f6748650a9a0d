extension [KeyValue] {
    package mutating func set(_ key: String, _ text: String) { self[key] = .stringValue(text) }

    package mutating func set(_ key: String, _ number: Int64) { self[key] = .intValue(number) }

    /// Returns a string value, or `nil` if it is missing or empty.
    package func text(of key: String) -> String? {
        guard let text = self[key]?.string, !text.isEmpty else { return nil }
        return text
    }
}
