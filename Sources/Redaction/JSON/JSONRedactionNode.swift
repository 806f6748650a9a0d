import CallStacks
import JSONText
import ReportFormats

/// A value of a JSON document, with the context that the keys above it provide.
struct JSONRedactionNode {
    let value: JSONValue
    private(set) var context = KeyContext()
    /// The replacement for a redacted text.
    private(set) var substitute: JSONValue?
    /// The OpenTelemetry object that contains the value under the name of its type, if it is this
    /// value or the object around a number.
    private var typedValue: JSONValue?
    /// The object around bytes in base64.
    private var bytesValue: JSONValue?

    init(value: JSONValue, context: KeyContext = KeyContext()) {
        self.value = value
        self.context = context
    }

    /// Returns the edit that replaces the value with a string.
    ///
    /// - Parameter string: The string in JSON, with its quotes.
    func replacement(_ string: [UInt8]) -> Edit { edit(to: string, of: typedValue) }

    /// Returns the edit that replaces the value with a placeholder. For bytes in base64, it
    /// replaces the object around them, because readers would decode the placeholder as base64.
    func omission(_ placeholder: [UInt8]) -> Edit {
        edit(to: placeholder, of: typedValue ?? bytesValue)
    }

    private func edit(to string: [UInt8], of typedValue: JSONValue?) -> Edit {
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

    /// The members of a process that the report is about.
    var childrenOfTarget: [Self] { Self(value: value).children }

    private var members: [Self] {
        let format = value["format_string"] ?? value["formatString"]
        let pair = pair
        let isSingle = Array(value.members.prefix(2)).count == 1
        return value.members.map { member in
            if member.isNamed("value") {
                var node = Self(value: member.value, context: context.child(of: pair))
                if pair.key != nil, member.value.isTyped { node.typedValue = member.value }
                return node
            }
            var node = Self(value: member.value, context: context.child(named: member.key))
            if member.isNamed("composed_message") || member.isNamed("composedMessage") {
                node.substitute = format
            }
            if isSingle, member.isNamed("intValue") || member.isNamed("doubleValue") {
                node.typedValue = value
            }
            if isSingle, member.isNamed("bytesValue") { node.bytesValue = value }
            return node
        }
    }

    /// The names of the member `value`.
    var pair: PairName { PairName(key: value["key"]?.string, title: value["name"]?.string) }

    /// The elements, which may be a name and its value: `["Authorization", "…"]`.
    private var elements: [Self] {
        let elements = Array(value.elements)
        return elements.indices.map { index in
            if index == 1, elements.count == 2, let name = elements[0].string,
                let context = context.child(titled: name)
            {
                return Self(value: elements[1], context: context)
            }
            return Self(value: elements[index], context: context.element)
        }
    }
}

extension JSONValue {
    /// Whether the value is an OpenTelemetry object with a value of one type, or without a value.
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
