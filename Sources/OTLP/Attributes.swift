private import SwiftProtobuf

extension [KeyValue] {
    /// The value of the first attribute with a key, or `nil` if there is none or it has no value.
    ///
    /// Setting replaces the value of the first one or appends an attribute; `nil` removes all
    /// attributes with the key.
    ///
    /// - Complexity: O(*n*) in the number of attributes.
    package subscript(key: String) -> AnyValue.OneOf_Value? {
        get { position(of: key).flatMap { self[$0].value.value } }
        set {
            guard let newValue else { return removeAll { $0.key == key } }
            let value = AnyValue(newValue)
            if let position = position(of: key) {
                self[position].value = value
            } else {
                append(KeyValue(key, value))
            }
        }
    }

    /// Searches by index, because copying an attribute is more expensive than reading its key.
    private func position(of key: String) -> Int? { indices.first { self[$0].key == key } }
}

extension KeyValue {
    package init(_ key: String, _ value: AnyValue) {
        self.init()
        self.key = key
        self.value = value
    }
}

extension AnyValue {
    package init(_ value: OneOf_Value) {
        self.init()
        self.value = value
    }
}

// Each is `nil` if the value is of another kind: kinds are not converted.
extension AnyValue.OneOf_Value {
    package var string: String? {
        if case .stringValue(let string) = self { string } else { nil }
    }

    package var integer: Int64? {
        if case .intValue(let integer) = self { integer } else { nil }
    }

    package static func strings(_ strings: [String]) -> Self {
        .arrayValue(.with { $0.values = strings.map { AnyValue(.stringValue($0)) } })
    }
}
