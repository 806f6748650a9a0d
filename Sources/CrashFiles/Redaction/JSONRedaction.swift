import CallStacks
import JSONText

/// Leaves private parts out of a JSON value. It stays JSON, and what is left out says so.
struct JSONRedaction {
    let level: RedactionLevel
    /// How many texts of JSON may still stand in strings of one another.
    var depth = 3

    /// The changes of the document's bytes, ascending.
    ///
    /// - Complexity: O(*n* log *n*) in the size of the value, at any depth of nesting.
    func edits(of root: JSONValue) -> [Edit] {
        var edits: [Edit] = []
        var open = [Part(value: root, key: nil)]
        while let part = open.popLast() {
            if let range = redactedRange(part) {
                edits.append(Edit(range, Self.placeholder))
                continue
            }
            switch part.value.kind {
            case .object: open += members(of: part)
            case .array: open += part.value.elements.map { Part(value: $0, key: part.key) }
            case .string: if let edit = edit(ofString: part) { edits.append(edit) }
            case .number, .bool, .null: break
            }
        }
        return edits.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private struct Part {
        var value: JSONValue
        /// That of the nearest key above that tells something.
        var key: PrivateKey?
        /// What stands in place of a text that is left out.
        var substitute: JSONValue?
    }

    private static let placeholder = Array(json: RedactionLevel.placeholder)

    private func members(of part: Part) -> [Part] {
        let object = part.value
        // OpenTelemetry writes a member as two: {"key": "host.name", "value": {…}}.
        let name = object["key"]?.string
        let format = object["format_string"] ?? object["formatString"]
        return object.members.map { member in
            var key = PrivateKey(json: member.key) ?? part.key
            if let name, member.isNamed("value") { key = PrivateKey(json: name) ?? key }
            if part.key == .memory, Self.typeKeys.contains(where: member.isNamed) { key = nil }
            if part.key == .memory, key == .name || key == .message { key = .memory }
            let isComposed = member.isNamed("composed_message") || member.isNamed("composedMessage")
            return Part(
                value: member.value, key: key,
                substitute: isComposed ? format : nil)
        }
    }

    /// What an object in memory is, which tells nothing of what it holds.
    private static let typeKeys = ["class", "type", "address"]

    /// Where a value stands that is left out whatever it says; `nil` for any other one.
    private func redactedRange(_ part: Part) -> Range<Int>? {
        let value = part.value
        let isNumber = value.kind == .number
        let isScalar = value.kind == .string || isNumber
        let isLeftOut =
            switch part.key {
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

    private func edit(ofString part: Part) -> Edit? {
        guard part.key != .name, let text = part.value.stringBytes else { return nil }
        if level == .strict, let format = part.substitute?.string {
            return Edit(part.value.quotedRange, Array(json: format))
        }
        let content = Array(text)
        let edits =
            part.key == .message
            ? MessageText(text: content[...]).edits(level) : edits(ofText: content, part.key)
        guard !edits.isEmpty else { return nil }
        let redacted = String(decoding: edits.applied(to: content), as: UTF8.self)
        return Edit(part.value.quotedRange, Array(json: redacted))
    }

    /// A string may hold a report of its own, as JSON or as lines.
    private func edits(ofText text: [UInt8], _ key: PrivateKey?) -> [Edit] {
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
        if key == .body { return MessageText(text: text[...]).edits(level) }
        return PrivateText(text: text[...]).edits
    }
}
