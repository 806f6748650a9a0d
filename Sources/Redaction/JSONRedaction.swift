import CallStacks
import JSONText
import ReportFormats

/// Redacts private values in a JSON document, which stays valid JSON and shows what was redacted.
struct JSONRedaction {
    let level: RedactionLevel
    /// The remaining levels of JSON inside strings.
    var depth = 3

    /// Returns the edits of the document, ascending.
    ///
    /// - Complexity: O(*n* log *n*) in the size of the value, at any depth of nesting.
    func edits(of root: JSONValue) -> [Edit] {
        var edits: [Edit] = []
        var open = [Node(value: root, key: nil)]
        while let node = open.popLast() {
            if let range = redactedRange(node) {
                edits.append(Edit(range, Self.placeholder))
                continue
            }
            switch node.value.kind {
            case .object: open += members(of: node)
            case .array: open += node.value.elements.map { Node(value: $0, key: node.key) }
            case .string: if let edit = edit(ofString: node) { edits.append(edit) }
            case .number, .bool, .null: break
            }
        }
        return edits.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private struct Node {
        var value: JSONValue
        /// The nearest sensitive key above.
        var key: SensitiveKey?
        /// The replacement for a redacted text.
        var substitute: JSONValue?
    }

    private static let placeholder = Array(json: RedactionLevel.placeholder)

    private func members(of node: Node) -> [Node] {
        let object = node.value
        // OpenTelemetry writes a member as two: {"key": "host.name", "value": {…}}.
        let name = object["key"]?.string
        let format = object["format_string"] ?? object["formatString"]
        return object.members.map { member in
            var key = SensitiveKey(json: member.key) ?? node.key
            if let name, member.isNamed("value") { key = SensitiveKey(json: name) ?? key }
            if node.key == .memory, Self.typeKeys.contains(where: member.isNamed) { key = nil }
            if node.key == .memory, key == .name || key == .message { key = .memory }
            let isComposed = member.isNamed("composed_message") || member.isNamed("composedMessage")
            return Node(
                value: member.value, key: key,
                substitute: isComposed ? format : nil)
        }
    }

    /// Keys for the type of an object in memory, which do not reveal its content.
    private static let typeKeys = ["class", "type", "address"]

    /// Returns the range of a value that is redacted whatever it contains, or `nil` for other
    /// values.
    private func redactedRange(_ node: Node) -> Range<Int>? {
        let value = node.value
        let isNumber = value.kind == .number
        let isScalar = value.kind == .string || isNumber
        let isLeftOut =
            switch node.key {
            case .device: isScalar
            case .message:
                isNumber && (level == .strict || value.range.count >= NumberPattern.digitCount)
            case .memory: level == .strict || value.kind == .string
            case .state: level == .strict
            case .surroundings: isScalar && level == .strict
            case .body, .name, nil: false
            }
        return isLeftOut && value.kind != .null ? value.quotedRange : nil
    }

    private func edit(ofString node: Node) -> Edit? {
        guard node.key != .name, let text = node.value.stringBytes else { return nil }
        if level == .strict, let format = node.substitute?.string {
            return Edit(node.value.quotedRange, Array(json: format))
        }
        let content = Array(text)
        let edits =
            node.key == .message
            ? MessageRedaction(text: content[...]).edits(level)
            : edits(ofText: content, key: node.key)
        guard !edits.isEmpty else { return nil }
        let redacted = String(decoding: edits.applied(to: content), as: UTF8.self)
        return Edit(node.value.quotedRange, Array(json: redacted))
    }

    /// Returns the edits of a string, which may contain a report as JSON or text.
    private func edits(ofText text: [UInt8], key: SensitiveKey?) -> [Edit] {
        let first = text.first { $0 > 0x20 }
        if depth > 0, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            let document = JSONDocument(text)
            if let root = document.root, document.failure == nil {
                return Self(level: level, depth: depth - 1).edits(of: root)
            }
        }
        if text.contains(.newline) {
            return TextRedaction.edits(of: text, in: 0..<text.count, level: level)
        }
        if key == .body { return MessageRedaction(text: text[...]).edits(level) }
        return PrivateText(text: text[...]).edits
    }
}
