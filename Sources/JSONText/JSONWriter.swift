/// Writes JSON text piece by piece, to any depth and without recursion.
///
/// The caller keeps to the grammar: a key before each value of an object and an end for each begin.
/// Breaking it is a mistake in the program and stops it.
public struct JSONWriter: Sendable {
    public enum Layout: Hashable, Sendable {
        case compact
        /// A line for each value, indented by two spaces a level.
        case pretty
    }

    /// Deeper levels are indented like this one: the text of a deep tree would otherwise grow with
    /// the square of its depth.
    public static let indentedDepthLimit = 64

    public private(set) var bytes: [UInt8] = []
    private let layout: Layout
    private var containers: [Container] = []
    private var hasKey = false

    private struct Container {
        let isObject: Bool
        var isEmpty = true
    }

    public init(layout: Layout = .compact) { self.layout = layout }

    /// What has been written, as a string.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    public mutating func beginObject() { begin(isObject: true) }

    public mutating func beginArray() { begin(isObject: false) }

    public mutating func endObject() { end(isObject: true) }

    public mutating func endArray() { end(isObject: false) }

    /// The name of the next value.
    public mutating func key(_ name: String) {
        precondition(containers.last?.isObject == true && !hasKey, "key outside of an object")
        separate()
        quote(name.utf8)
        bytes.append(.colon)
        if layout == .pretty { bytes.append(0x20) }
        hasKey = true
    }

    public mutating func string(_ text: String) {
        startValue()
        quote(text.utf8)
    }

    public mutating func unsigned(_ number: UInt64) { literal(String(number)) }

    public mutating func signed(_ number: Int64) { literal(String(number)) }

    public mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

    public mutating func null() { literal("null") }

    /// Copies a value that was read, with all that it contains. What its text left open is closed.
    public mutating func copy(_ value: JSONValue) {
        var open: [(isObject: Bool, pieces: JSONElements)] = []
        var next: JSONValue? = value
        while true {
            guard let piece = next else {
                guard let finished = open.popLast() else { return }
                end(isObject: finished.isObject)
                next = open.isEmpty ? nil : advance(&open)
                continue
            }
            if piece.opensContainer {
                begin(isObject: piece.kind == .object)
                open.append((piece.kind == .object, piece.pieces))
            } else {
                scalar(piece)
            }
            next = open.isEmpty ? nil : advance(&open)
        }
    }
}

extension JSONWriter {
    private func advance(_ open: inout [(isObject: Bool, pieces: JSONElements)]) -> JSONValue? {
        open[open.count - 1].pieces.next()
    }

    private mutating func scalar(_ piece: JSONValue) {
        switch piece.kind {
        case .string where containers.last?.isObject == true && !hasKey:
            key(piece.content.text)
        case .string: string(piece.content.text)
        default:
            startValue()
            bytes.append(contentsOf: piece.rawText)
        }
    }

    private mutating func begin(isObject: Bool) {
        startValue()
        containers.append(Container(isObject: isObject))
        bytes.append(isObject ? .openBrace : .openBracket)
    }

    private mutating func end(isObject: Bool) {
        precondition(!hasKey && containers.last?.isObject == isObject, "end without a begin")
        if containers.removeLast().isEmpty == false { breakLine() }
        bytes.append(isObject ? .closeBrace : .closeBracket)
    }

    private mutating func literal(_ text: String) {
        startValue()
        bytes.append(contentsOf: text.utf8)
    }

    /// What stands before a value: nothing after a key, else a separator.
    private mutating func startValue() {
        if hasKey {
            hasKey = false
        } else {
            precondition(containers.last?.isObject != true, "value without a key")
            separate()
        }
    }

    /// A comma after an earlier value, and the line break of the layout. Values outside of any
    /// container stand on lines of their own.
    private mutating func separate() {
        guard let last = containers.indices.last else {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "\n")) }
            return
        }
        if !containers[last].isEmpty { bytes.append(.comma) }
        containers[last].isEmpty = false
        breakLine()
    }

    private mutating func breakLine() {
        guard layout == .pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        let depth = min(containers.count, Self.indentedDepthLimit)
        bytes.append(contentsOf: repeatElement(0x20, count: 2 * depth))
    }

    private mutating func quote(_ text: String.UTF8View) {
        bytes.append(.quote)
        for byte in text {
            switch byte {
            case .quote, .backslash: bytes.append(contentsOf: [.backslash, byte])
            case 0x0a: bytes.append(contentsOf: "\\n".utf8)
            case 0x0d: bytes.append(contentsOf: "\\r".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0..<0x20:
                bytes.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
                bytes.append(contentsOf: String(byte, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(.quote)
    }
}

extension JSONValue {
    var opensContainer: Bool { kind == .object || kind == .array }

    /// What a container holds, keys as strings before their values.
    var pieces: JSONElements {
        JSONElements(document: document, place: index + 1, end: Int(document.nodes[index].next))
    }
}
