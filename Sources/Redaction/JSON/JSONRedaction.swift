import CallStacks
import JSONText
import ReportFormats

/// Redacts private values in a JSON document, which stays valid JSON and shows what was redacted.
struct JSONRedaction {
    let level: RedactionLevel
    /// The remaining levels of JSON inside strings.
    var depth = 3
    /// The strings that stay unchanged.
    var excluded = ExcludedStrings()

    /// Returns the edits of the document, ascending.
    ///
    /// - Complexity: O(*n* log *n*) in the size of the value, at any depth of nesting.
    func edits(of root: JSONValue) -> [Edit] {
        var edits: [Edit] = []
        var open = [JSONRedactionNode(value: root)]
        while let node = open.popLast() {
            if isExcluded(node.value) { continue }
            if isLeftOut(node) {
                edits.append(node.replacement(Self.placeholder))
            } else if let edit = edit(ofString: node) {
                edits.append(edit)
            } else {
                open += node.children
            }
        }
        return edits.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private func isExcluded(_ value: JSONValue) -> Bool {
        !excluded.isEmpty && value.kind == .string && excluded.contains(value.range.lowerBound)
    }

    private static let placeholder = Array(json: RedactionLevel.placeholder)

    /// Whether a value is redacted whatever it contains.
    private func isLeftOut(_ node: JSONRedactionNode) -> Bool {
        let value = node.value
        let isNumber = value.kind == .number
        let isScalar = value.kind == .string || isNumber
        return switch node.key {
        case .device, .credential: isScalar
        case .message:
            isNumber && (level == .strict || value.range.count >= NumberPattern.digitCount)
        case .memory: value.kind == .string || (level == .strict && value.kind != .null)
        case .state: level == .strict && value.kind != .null
        case .surroundings: isScalar && level == .strict
        case .body, .name, nil: false
        }
    }

    /// Returns the edit of a string with private parts, or `nil` for other values.
    private func edit(ofString node: JSONRedactionNode) -> Edit? {
        guard node.key != .name, let text = node.value.stringBytes else { return nil }
        if level == .strict, let format = node.substitute?.string {
            return node.replacement(Array(json: format))
        }
        let content = Array(text)
        let edits =
            node.key == .message
            ? MessageRedaction(text: content[...]).edits(level)
            : edits(ofText: content, key: node.key)
        guard !edits.isEmpty else { return nil }
        let redacted = String(decoding: edits.applied(to: content), as: UTF8.self)
        return node.replacement(Array(json: redacted))
    }

    /// Returns the edits of a string, which may contain a report as JSON or text.
    private func edits(ofText text: [UInt8], key: SensitiveKey?) -> [Edit] {
        if depth > 0, let edits = edits(ofValue: text) ?? edits(ofReportsIn: text) {
            return edits
        }
        if text.contains(.newline) {
            return TextRedaction.edits(of: text, in: 0..<text.count, level: level)
        }
        if key == .body { return MessageRedaction(text: text[...]).edits(level) }
        return PrivateText(text: text[...]).edits
    }

    /// Returns the edits of an object or array with nothing else around it, or `nil` for other text.
    private func edits(ofValue text: [UInt8]) -> [Edit]? {
        let first = text.first { $0 > 0x20 }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
        let document = JSONDocument(text)
        guard let root = document.root, document.failure == nil,
            text[root.range.upperBound...].allSatisfy({ $0 <= 0x20 })
        else { return nil }
        return Self(level: level, depth: depth - 1).edits(of: root)
    }

    /// Returns the edits of a text with reports in JSON, which may be damaged or have other text
    /// around them, or `nil` if there is none.
    private func edits(ofReportsIn text: [UInt8]) -> [Edit]? {
        guard text.contains(UInt8(ascii: "{")) else { return nil }
        var document = DocumentRedaction(text, json: Self(level: level, depth: depth - 1))
        document.redact(text.indices, readsFirstValue: false)
        return document.hasJSON ? document.edits : nil
    }
}
