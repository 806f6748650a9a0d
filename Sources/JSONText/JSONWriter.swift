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
    /// The container that is written, and those around it.
    private var current = Container.none
    private var outer: [Container] = []
    private var hasKey = false

    private struct Container {
        enum Kind { case none, object, array }

        var kind: Kind
        var isEmpty = true

        /// Outside of any container.
        static let none = Self(kind: .none)
    }

    public init(layout: Layout = .compact) { self.layout = layout }

    /// Forgets what has been written, and keeps the storage for what comes next.
    public mutating func removeAll() {
        precondition(outer.isEmpty, "an open container")
        bytes.removeAll(keepingCapacity: true)
    }

    /// What has been written, as a string.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    public mutating func beginObject() { begin(isObject: true) }

    public mutating func beginArray() { begin(isObject: false) }

    public mutating func endObject() { end(isObject: true) }

    public mutating func endArray() { end(isObject: false) }

    /// The name of the next value.
    public mutating func key(_ name: String) {
        startKey()
        bytes.append(quoted: name)
        bytes.append(.colon)
        endKey()
    }

    /// The name of the next value, which needs no escapes.
    public mutating func key(_ name: StaticString) {
        startKey()
        bytes.append(key: name)
        endKey()
    }

    /// Members that a compact writer wrote: keys and values, without the braces around them.
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

    /// What stands before a value: nothing after a key, else a separator.
    private mutating func startValue() {
        if hasKey {
            hasKey = false
        } else {
            precondition(current.kind != .object, "value without a key")
            separate()
        }
    }

    /// A comma after an earlier value, and the line break of the layout. Values outside of any
    /// container stand on lines of their own.
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

    /// What a container holds, keys as strings before their values.
    var pieces: JSONElements {
        JSONElements(document: document, place: index + 1, end: Int(document.nodes[index].next))
    }
}
