extension [KeyValue] {
    package mutating func set(_ key: String, _ text: String) { self[key] = .stringValue(text) }

    package mutating func set(_ key: String, _ number: Int64) { self[key] = .intValue(number) }

    package mutating func set(_ key: String, _ isTrue: Bool) { self[key] = .boolValue(isTrue) }

    /// Sets a string value, unless the sender set one.
    package mutating func setIfAbsent(_ key: String, _ text: String) {
        if self[key] == nil { self[key] = .stringValue(text) }
    }

    /// Returns a string value, or `nil` if it is missing or empty.
    package func text(of key: String) -> String? {
        guard let text = self[key]?.string, !text.isEmpty else { return nil }
        return text
    }
}
