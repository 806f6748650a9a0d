import OTLP

extension [KeyValue] {
    mutating func set(_ key: String, _ text: String) { self[key] = .stringValue(text) }

    mutating func set(_ key: String, _ number: Int64) { self[key] = .intValue(number) }

    mutating func set(_ key: String, _ isTrue: Bool) { self[key] = .boolValue(isTrue) }

    /// What the sender said stays.
    mutating func setIfAbsent(_ key: String, _ text: String) {
        if self[key] == nil { self[key] = .stringValue(text) }
    }

    /// A text; `nil` also where it is empty.
    func text(of key: String) -> String? {
        guard let text = self[key]?.string, !text.isEmpty else { return nil }
        return text
    }
}
