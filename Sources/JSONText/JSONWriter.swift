/// Writes JSON text token by token, to any depth and without recursion.
///
/// The caller has to follow the grammar: a key before each value of an object, and an end for each
/// begin. Violating it is a programming error and traps.
public struct JSONWriter: Sendable {
    public enum Layout: Hashable, Sendable {
        case compact
        /// One value per line, indented by two spaces per level.
        case pretty
    }

    /// The maximum indentation depth. Without it, the text of a deep tree would grow with the
    /// square of its depth.
    public static let indentedDepthLimit = 64

    public private(set) var bytes: [UInt8] = []
    private let layout: Layout
    /// The innermost open container, and those around it.
    private var current = Container.none
    private var outer: [Container] = []
    private var hasKey = false

    private struct Container {
        enum Kind { case none, object, array }

        var kind: Kind
        var isEmpty = true

        /// The state outside of any container.
        static let none = Self(kind: .none)
    }

    public init(layout: Layout = .compact) { self.layout = layout }

    /// Removes the text written so far, and keeps the allocated storage.
    public mutating func removeAll() {
        precondition(outer.isEmpty, "an open container")
        bytes.removeAll(keepingCapacity: true)
    }

    /// The text written so far.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    public mutating func beginObject() { begin(isObject: true) }

    public mutating func beginArray() { begin(isObject: false) }

    public mutating func endObject() { end(isObject: true) }

    public mutating func endArray() { end(isObject: false) }

    /// Writes the name of the next value.
    public mutating func key(_ name: String) {
        startKey()
        bytes.append(quoted: name)
        bytes.append(.colon)
        endKey()
    }

    /// Writes the name of the next value, which must not need escapes.
    public mutating func key(_ name: StaticString) {
        startKey()
        bytes.append(key: name)
        endKey()
    }

    /// Inserts members from a compact writer: keys and values, without braces around them.
    public mutating func members(written members: Span<UInt8>) {
        startKey()
        unsafe members.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    public mutating func string(_ text: String) {
        startValue()
        bytes.append(quoted: text)
    }

    public mutating func unsigned(_ number: UInt64) {
        startValue()
        bytes.append(digitsOf: number)
    }

    public mutating func signed(_ number: Int64) { literal(String(number)) }

    public mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

    public mutating func null() { word("null") }

    /// Copies a value with its contents. Containers that are open at the end of its text are
    /// closed.
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
        case .string where current.kind == .object && !hasKey:
            key(piece.content.text)
        case .string: string(piece.content.text)
        default:
            startValue()
            bytes.append(contentsOf: piece.rawText)
        }
    }

    private mutating func begin(isObject: Bool) {
        startValue()
        outer.append(current)
        current = Container(kind: isObject ? .object : .array)
        bytes.append(isObject ? .openBrace : .openBracket)
    }

    private mutating func end(isObject: Bool) {
        precondition(
            !hasKey && current.kind == (isObject ? .object : .array), "end without a begin")
        let isEmpty = current.isEmpty
        current = outer.removeLast()
        if !isEmpty { breakLine() }
        bytes.append(isObject ? .closeBrace : .closeBracket)
    }

    private mutating func literal(_ text: String) {
        startValue()
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func word(_ word: StaticString) {
        startValue()
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    private mutating func startKey() {
        precondition(current.kind == .object && !hasKey, "key outside of an object")
        separate()
    }

    private mutating func endKey() {
        if layout == .pretty { bytes.append(0x20) }
        hasKey = true
    }

    /// Writes the separator before a value, unless a key precedes it.
    private mutating func startValue() {
        if hasKey {
            hasKey = false
        } else {
            precondition(current.kind != .object, "value without a key")
            separate()
        }
    }

    /// Writes a comma after an earlier value, and the layout's line break. Values outside of any
    /// container are on separate lines.
    private mutating func separate() {
        if current.kind == .none {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "\n")) }
            return
        }
        if !current.isEmpty { bytes.append(.comma) }
        current.isEmpty = false
        breakLine()
    }

    private mutating func breakLine() {
        guard layout == .pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        let depth = min(outer.count, Self.indentedDepthLimit)
        bytes.append(contentsOf: repeatElement(0x20, count: 2 * depth))
    }
}

extension JSONValue {
    var opensContainer: Bool { kind == .object || kind == .array }

    /// The nodes directly in a container, with keys as strings before their values.
    var pieces: JSONElements {
        JSONElements(document: document, index: index + 1, end: Int(document.nodes[index].next))
    }
}
