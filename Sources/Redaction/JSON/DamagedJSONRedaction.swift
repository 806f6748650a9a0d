import CallStacks
import JSONText
import ReportFormats

/// Redacts private values in damaged JSON, from the position where parsing failed.
///
/// Containers and keys are recognised by their tokens, so that a missing or extra byte affects only
/// the interpretation of values close to it. Stacks and images are never part of a private value,
/// even if the brackets do not match.
struct DamagedJSONRedaction {
    /// The range that was redacted as JSON.
    let range: Range<Int>
    private(set) var edits: [Edit] = []
    private let bytes: [UInt8]
    private let json: JSONRedaction
    private var containers: DamagedJSONContainers
    /// The context of the value after a key, up to the next comma.
    private var value: KeyContext?

    /// Redacts a range that begins like JSON, up to text that is not JSON.
    init(_ bytes: [UInt8], in range: Range<Int>, json: JSONRedaction) {
        self.init(bytes, in: range, json: json, containers: DamagedJSONContainers())
    }

    /// Redacts what follows the last complete value of a document, up to text that is not JSON.
    ///
    /// - Complexity: O(*n*) in the elements of its open containers, and the text after them.
    init(_ bytes: [UInt8], after root: JSONValue, until limit: Int, json: JSONRedaction) {
        var containers = DamagedJSONContainers()
        var node = JSONRedactionNode(value: root)
        while !node.value.isWhole {
            containers.open(node.value.kind == .object ? .object : .array, node.context)
            guard let last = node.children.last else { break }
            containers.setPair(node.pair)
            node = last
        }
        let start =
            node.value.isWhole ? node.value.quotedRange.upperBound : node.value.range.lowerBound + 1
        self.init(bytes, in: start..<limit, json: json, containers: containers)
    }

    private init(
        _ bytes: [UInt8], in range: Range<Int>, json: JSONRedaction,
        containers: DamagedJSONContainers
    ) {
        self.bytes = bytes
        self.range =
            range
            .lowerBound..<Self.endOfJSON(in: bytes, from: range.lowerBound, until: range.upperBound)
        self.json = json
        self.containers = containers
        redact()
    }

    /// Returns the start of the first line of a text report after the line at `start`.
    private static func endOfJSON(in bytes: [UInt8], from start: Int, until limit: Int) -> Int {
        var position = start
        while position < limit, let newline = bytes[position..<limit].firstIndex(of: .newline) {
            position = newline + 1
            let end = bytes[position..<limit].firstIndex(of: .newline) ?? limit
            if isText(bytes[position..<end]) { return position }
        }
        return limit
    }

    private static func isText(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.first?.isLetter == true || line.first?.isDigit == true else { return false }
        return ReportKey(line) != nil || CrashTextHeading(line) != nil
            || (line.count <= TextLines.lineBytesLimit && FrameLine(line) != nil)
    }
}

extension DamagedJSONRedaction {
    private typealias Token = DamagedJSONTokens.Token

    private mutating func redact() {
        var tokens = DamagedJSONTokens(bytes, in: range)
        var next = tokens.next()
        while let token = next {
            next = tokens.next()
            switch token {
            case .string(let text): read(text, isString: true, before: next)
            case .word(let text): read(text, isString: false, before: next)
            case .colon: break
            case .comma: value = nil
            case .objectStart: open(.object)
            case .arrayStart: open(.array)
            case .objectEnd: close(.object)
            case .arrayEnd: close(.array)
            }
        }
    }

    private mutating func open(_ kind: DamagedJSONContainers.Kind) {
        containers.open(kind, value ?? containers.context.element)
        value = nil
    }

    private mutating func close(_ kind: DamagedJSONContainers.Kind) {
        containers.close(kind)
        value = nil
    }

    /// Reads a key or redacts a value, depending on what follows it.
    private mutating func read(_ text: Range<Int>, isString: Bool, before next: Token?) {
        let isKey = isKey(isString: isString, before: next)
        // A value that is followed by a colon may still be one.
        if let value {
            redact(text, in: value, isString: isString)
        } else if isKey {
            redactName(text)
        } else {
            redact(text, in: containers.context.element, isString: isString)
        }
        if isKey {
            value = containers.child(named: name(text))
        } else {
            if value != nil { containers.addToPair(name(text)) }
            value = nil
        }
    }

    /// Whether a text is a key, whose colon may be missing.
    private func isKey(isString: Bool, before next: Token?) -> Bool {
        switch next {
        case .colon: true
        case .objectStart, .arrayStart: value == nil
        case .string, .word: isString && value == nil && containers.isInObject
        case .comma, .objectEnd, .arrayEnd, nil: false
        }
    }

    private func name(_ text: Range<Int>) -> String {
        String(decoding: bytes[text].prefix(Self.nameLimit), as: UTF8.self)
    }

    /// The maximum length of a key that is compared with known names, in bytes.
    private static let nameLimit = 256
}

extension DamagedJSONRedaction {
    private mutating func redact(_ text: Range<Int>, in context: KeyContext, isString: Bool) {
        guard !text.isEmpty, !json.excluded.contains(text.lowerBound) else { return }
        let kind = isString ? JSONValue.Kind.string : Self.kind(ofWord: bytes[text])
        // A truncated string may have contained a private value that is no longer recognisable.
        let isTruncated = isString && text.upperBound == bytes.count
        if isTruncated || json.isLeftOut(kind, byteCount: text.count, key: context.key) {
            let isQuoted = kind == .string
            edits.append(
                isQuoted
                    ? .redaction(text) : Edit(text, Array(json: RedactionLevel.placeholder)))
        } else if kind == .string,
            let redacted = json.redacted(content(text), in: context)
        {
            edits.append(Edit(text, Array(redacted.dropFirst().dropLast())))
        }
    }

    private mutating func redactName(_ text: Range<Int>) {
        guard let redacted = json.redacted(name: content(text)[...], in: containers.context) else {
            return
        }
        edits.append(Edit(text, Array(redacted.dropFirst().dropLast())))
    }

    /// Returns the decoded content of a string, or its bytes if it is damaged.
    private func content(_ text: Range<Int>) -> [UInt8] {
        let raw = Array(bytes[text])
        guard raw.contains(UInt8(ascii: "\\")) else { return raw }
        let mark = [DamagedJSONTokens.quotationMark]
        let document = JSONDocument(mark + raw + mark)
        return document.root?.stringBytes.map { Array($0) } ?? raw
    }

    private static func kind(ofWord word: ArraySlice<UInt8>) -> JSONValue.Kind {
        if word.elementsEqual("null".utf8) { return .null }
        if word.elementsEqual("true".utf8) || word.elementsEqual("false".utf8) { return .bool }
        let isNumber = word.allSatisfy { $0.isDigit || "+-.eE".utf8.contains($0) }
        return isNumber ? .number : .string
    }
}
