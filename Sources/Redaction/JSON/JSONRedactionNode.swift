import CallStacks
import JSONText
import ReportFormats

/// A value of a JSON document, and what the keys above it reveal about it.
struct JSONRedactionNode {
    let value: JSONValue
    /// The nearest sensitive key above.
    var key: SensitiveKey?
    /// The nearest key above, if it is one of ``SensitiveKey/scopes``.
    private var scope: String?
    /// The replacement for a redacted text.
    private(set) var substitute: JSONValue?
    /// The object of OpenTelemetry that states the value's type by a name, if it is this value or
    /// the one around a number.
    private var typedValue: JSONValue?

    init(value: JSONValue) { self.value = value }

    /// Returns the edit that replaces the value by a string.
    ///
    /// - Parameter string: The string in JSON, with its quotes.
    func replacement(_ string: [UInt8]) -> Edit {
        guard let typedValue else { return Edit(value.quotedRange, string) }
        return Edit(
            typedValue.range, Array(#"{"stringValue":"#.utf8) + string + [UInt8(ascii: "}")])
    }

    /// The members of an object, or the elements of an array.
    var children: [Self] {
        switch value.kind {
        case .object: members
        case .array: elements
        case .string, .number, .bool, .null: []
        }
    }

    private var members: [Self] {
        let format = value["format_string"] ?? value["formatString"]
        let pair = PairName(of: value)
        let isSingle = Array(value.members.prefix(2)).count == 1
        return value.members.map { member in
            if member.isNamed("value") {
                var node = child(member.value, of: pair)
                if pair.key != nil, member.value.isTyped { node.typedValue = member.value }
                return node
            }
            var node = child(member.value, named: member.key)
            if member.isNamed("composed_message") || member.isNamed("composedMessage") {
                node.substitute = format
            }
            if isSingle, member.isNamed("intValue") || member.isNamed("doubleValue") {
                node.typedValue = value
            }
            return node
        }
    }

    /// The name of a member `value`, which is the value of another member:
    ///
    ///     {"key": "host.name", "value": {…}}        {"name": "Authorization", "value": "…"}
    private struct PairName {
        let key: String?
        let title: String?

        init(of object: JSONValue) {
            key = object["key"]?.string
            title = object["name"]?.string
        }
    }

    private func child(_ member: JSONValue, of pair: PairName) -> Self {
        if let name = pair.key {
            let node = child(member, named: name)
            if node.key != nil { return node }
        } else if let name = pair.title, let node = child(member, titled: name) {
            return node
        }
        return child(member, named: "value")
    }

    /// The elements, which may be a name and its value: `["Authorization", "…"]`.
    private var elements: [Self] {
        let elements = Array(value.elements)
        return elements.indices.map { index in
            if index == 1, elements.count == 2, let name = elements[0].string,
                let node = child(elements[1], titled: name)
            {
                return node
            }
            return inheriting(elements[index])
        }
    }

    /// Returns the child with a name that is a value itself, or `nil` if the name does not show
    /// that it is private.
    private func child(_ value: JSONValue, titled name: String) -> Self? {
        let node = child(value, named: name)
        return node.key == nil || node.key == .name ? nil : node
    }

    private func inheriting(_ value: JSONValue) -> Self {
        var node = Self(value: value)
        node.key = key
        node.scope = scope
        return node
    }

    private func child(_ value: JSONValue, named name: String) -> Self {
        var node = inheriting(value)
        node.key = keyOfChild(named: name)
        // Sentry writes a list as {"exception": {"values": […]}}.
        if name != "values" { node.scope = SensitiveKey.scopes.contains(name) ? name : nil }
        return node
    }

    private func keyOfChild(named name: String) -> SensitiveKey? {
        let own = SensitiveKey(json: name, in: scope)
        switch key {
        case .device, .credential: return key
        case .memory:
            if Self.typeKeys.contains(name) { return nil }
            return own == .name || own == .message ? .memory : own ?? .memory
        case .surroundings where own == .name: return .surroundings
        default: return own ?? key
        }
    }

    /// Keys for the type of an object in memory, which do not reveal its content.
    private static let typeKeys = ["class", "type", "address"]
}

extension JSONValue {
    /// Whether the value is an object of OpenTelemetry with a value of one type, or none.
    fileprivate var isTyped: Bool {
        guard kind == .object else { return false }
        let names = Array(members.prefix(2).map(\.key))
        return names.count < 2 && names.allSatisfy(Self.types.contains)
    }

    private static let types: Set<String> = [
        "stringValue", "boolValue", "intValue", "doubleValue", "arrayValue", "kvlistValue",
        "bytesValue",
    ]
}
