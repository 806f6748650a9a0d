import CallStacks
import JSONText
import ReportFormats

/// Redacts private values in a JSON document, which stays valid JSON and shows what was redacted.
struct JSONRedaction {
    let level: RedactionLevel
    /// The remaining levels of JSON inside strings.
    var depth = 3
    /// The processes that the report is about. The names of others are redacted.
    var targets: Set<String> = []
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
            if let kept = keptProcesses(of: node) {
                open += kept
                edits += editsOfNames(in: node)
            } else if isLeftOut(node) {
                edits.append(node.omission(Self.placeholder))
            } else if let edit = edit(ofString: node) {
                edits.append(edit)
            } else {
                open += node.children
                edits += editsOfNames(in: node)
            }
        }
        return edits.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// Returns the edits of the names of an object's members, which may be paths or email addresses.
    /// Names that only differ in their private parts get numbers, because readers keep only one of
    /// several members with the same name.
    private func editsOfNames(in node: JSONRedactionNode) -> [Edit] {
        let redacted = node.value.members.compactMap { member in
            member.name.stringBytes.flatMap { redactedText(ofName: $0, in: node.context) }
                .map { (name: member.name, text: $0) }
        }
        guard !redacted.isEmpty else { return [] }
        let starts = Set(redacted.map(\.name.range.lowerBound))
        let others = node.value.members.lazy.filter { !starts.contains($0.name.range.lowerBound) }
        var names = DistinctNames(except: others.map(\.key))
        return redacted.map { name, text in
            Edit(name.quotedRange, Array(json: names.distinct(text)))
        }
    }

    /// Whether a name contains one of the bytes that every recognised private value outside of
    /// messages contains. Few names do.
    private static func mayBePrivate(name: ArraySlice<UInt8>) -> Bool {
        name.contains { "@%/\\=: .".utf8.contains($0) }
    }

    /// Returns the name of a member with its private parts redacted as JSON, with quotes, or `nil`
    /// if it has none.
    ///
    /// - Parameter context: That of the object.
    func redacted(name: ArraySlice<UInt8>, in context: KeyContext) -> [UInt8]? {
        redactedText(ofName: name, in: context).map { Array(json: $0) }
    }

    private func redactedText(ofName name: ArraySlice<UInt8>, in context: KeyContext) -> String? {
        let isMessage = context.key == .message || context.key == .body
        guard isMessage || Self.mayBePrivate(name: name) else { return nil }
        let edits = PrivateText(text: name, isMessage: isMessage).edits
        guard !edits.isEmpty else { return nil }
        let start = name.startIndex
        return String(
            decoding: edits.map { $0.moved(by: -start) }.applied(to: Array(name)), as: UTF8.self)
    }

    /// Returns the parts of a list of processes if the report is about one of them, or of such a
    /// process; `nil` for other values.
    private func keptProcesses(of node: JSONRedactionNode) -> [JSONRedactionNode]? {
        guard node.context.key == .processList else { return nil }
        if let name = node.value.processName {
            return targets.contains(name) ? node.childrenOfTarget : nil
        }
        let children = node.children
        let isAboutOne = children.contains { $0.value.processName.map(targets.contains) ?? false }
        return isAboutOne ? children : nil
    }

    private func isExcluded(_ value: JSONValue) -> Bool {
        value.kind == .string && excluded.contains(value.range.lowerBound)
    }

    private static let placeholder = Array(json: RedactionLevel.placeholder)

    private func isLeftOut(_ node: JSONRedactionNode) -> Bool {
        // The members of an incomplete container are redacted one by one, like those after the
        // damage.
        node.value.isWhole
            && isLeftOut(
                node.value.kind, byteCount: node.value.range.count, key: node.context.key)
    }

    /// Whether a value is redacted regardless of its content.
    func isLeftOut(_ kind: JSONValue.Kind, byteCount: Int, key: SensitiveKey?) -> Bool {
        let isNumber = kind == .number
        let isScalar = kind == .string || isNumber
        return switch key {
        case .device, .credential: isScalar
        case .message: isNumber && (level == .strict || byteCount >= NumberPattern.digitCount)
        case .memory: kind == .string || (level == .strict && kind != .null)
        case .state, .processList: level == .strict && kind != .null
        case .surroundings: isScalar && level == .strict
        case .body, .name, .stackText, .processName, nil: false
        }
    }

    /// Returns the edit of a string with private parts, or `nil` for other values.
    private func edit(ofString node: JSONRedactionNode) -> Edit? {
        guard node.context.key != .name, let text = node.value.stringBytes else { return nil }
        if level == .strict, let format = node.substitute?.string {
            return node.replacement(Array(json: format))
        }
        return redacted(Array(text), in: node.context).map { node.replacement($0) }
    }

    /// Returns the content of a string with its private parts redacted as JSON, with quotes, or
    /// `nil` if it has none.
    func redacted(_ content: [UInt8], in context: KeyContext) -> [UInt8]? {
        guard context.key != .name else { return nil }
        let data = context.isBase64 ? Base64(decoding: content) : nil
        let text = data?.bytes ?? content
        let edits = edits(ofContent: text, key: context.key)
        guard !edits.isEmpty else { return nil }
        let redacted = edits.applied(to: text)
        return Array(
            json: String(
                decoding: data == nil ? redacted : Base64(redacted).encoded, as: UTF8.self))
    }

    private func edits(ofContent text: [UInt8], key: SensitiveKey?) -> [Edit] {
        switch key {
        case .message: MessageRedaction(text: text[...]).edits(level)
        case .stackText: FrameListRedaction(text).edits(level)
        case .processName where !targets.contains(String(decoding: text, as: UTF8.self)):
            [.redaction(text.indices)]
        default: edits(ofText: text, key: key)
        }
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

    /// Returns the edits of a text that is a single object or array, or `nil` for other text.
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

/// The names of an object's members after redaction.
private struct DistinctNames {
    private var taken: Set<String>
    /// The number of the last member with each name that several would have.
    private var numbers: [String: Int] = [:]

    /// - Parameter names: The names without private parts, which stay.
    init(except names: some Sequence<String>) { taken = Set(names) }

    /// Returns the name itself, or one with a number if it is taken: `/Users/<redacted>/a 2`.
    mutating func distinct(_ name: String) -> String {
        var found = name
        while !taken.insert(found).inserted {
            let number = (numbers[name] ?? 1) + 1
            numbers[name] = number
            found = "\(name) \(number)"
        }
        return found
    }
}

extension JSONValue {
    /// The name of a process in a list.
    fileprivate var processName: String? { (self["procname"] ?? self["name"])?.string }
}
