import CallStacks
import JSONText
import StackRendering
import Symbolication

/// Writes a symbolicated diagnostic into a log record of OTLP in JSON: the stack as text, which
/// replaces the received stack, and a summary. The received stack is kept in another attribute.
struct OTLPRecordRewriter: ReportRewriter {
    /// The whole file.
    let bytes: [UInt8]
    /// The range of the record.
    let range: Range<Int>
    /// The attribute with the stack.
    let stackAttribute: String

    /// The approximate size of a frame's text besides its names, in bytes.
    private static let rowOverhead = 128

    func edits(with results: FrameFunctions, budget: inout EditBudget) -> [Edit] {
        let diagnostic = results.diagnostic
        guard diagnostic.frameCounts.resolved > 0,
            budget.reserve(diagnostic.frames, repeating: Self.rowOverhead),
            let list = JSONDocument(bytes, in: range).root?["attributes"],
            let last = Array(list.elements).last
        else { return [] }
        var record = RecordAttributeEdits(list)
        record.keep(stackAttribute, as: AttributeKeys.original, in: bytes)
        record.set(AttributeKeys.stackTrace, StackText().stacks(of: diagnostic))
        for (key, change) in ResultAttributes(of: [diagnostic]).changes {
            record.apply(change, to: key)
        }
        let end = last.quotedRange.upperBound
        return record.replaced + record.removed + [Edit(end..<end, record.added)]
    }
}

/// The edits of a record's attributes.
private struct RecordAttributeEdits {
    private let elements: [JSONValue]
    private let values: [(key: String, value: JSONValue)]
    private var removedKeys: Set<String> = []
    private(set) var replaced: [Edit] = []
    private(set) var added = ""

    init(_ list: JSONValue) {
        elements = Array(list.elements)
        values = elements.compactMap { element in
            guard let key = element["key"]?.string, let value = element["value"] else { return nil }
            return (key, value)
        }
    }

    /// The edits that remove attributes, each run with the comma after or before it. The list keeps
    /// the attribute with the stack.
    var removed: [Edit] {
        let isRemoved = elements.map { $0["key"]?.string.map(removedKeys.contains) == true }
        var edits: [Edit] = []
        var start = 0
        while let first = isRemoved[start...].firstIndex(of: true) {
            start = isRemoved[first...].firstIndex(of: false) ?? elements.count
            if start < elements.count {
                let begin = elements[first].quotedRange.lowerBound
                edits.append(Edit(begin..<elements[start].quotedRange.lowerBound, []))
            } else if first > 0 {
                let begin = elements[first - 1].quotedRange.upperBound
                edits.append(Edit(begin..<elements[start - 1].quotedRange.upperBound, []))
            }
        }
        return edits
    }

    private subscript(key: String) -> JSONValue? { values.first { $0.key == key }?.value }

    /// Copies an attribute, unless there is already a copy.
    mutating func keep(_ key: String, as copy: String, in bytes: [UInt8]) {
        guard self[copy] == nil, let value = self[key] else { return }
        add(copy, text: String(decoding: bytes[value.quotedRange], as: UTF8.self))
    }

    mutating func set(_ key: String, _ text: String) {
        set(key) {
            $0.key("stringValue")
            $0.string(text)
        }
    }

    /// OTLP writes 64-bit integers as strings.
    mutating func set(_ key: String, _ number: Int) {
        set(key) {
            $0.key("intValue")
            $0.string("\(number)")
        }
    }

    mutating func set(_ key: String, _ value: Bool) {
        set(key) {
            $0.key("boolValue")
            $0.bool(value)
        }
    }

    mutating func set(_ key: String, _ texts: [String]) {
        set(key) { writer in
            writer.key("arrayValue")
            writer.beginObject()
            writer.key("values")
            writer.beginArray()
            for text in texts {
                writer.beginObject()
                writer.key("stringValue")
                writer.string(text)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
    }

    mutating func apply(_ change: ResultAttributes.Change, to key: String) {
        switch change {
        case .text(let text): set(key, text)
        case .missingText(let text): if self[key] == nil { set(key, text) }
        case .number(let number): set(key, number)
        case .flag(let isTrue): set(key, isTrue)
        case .texts(let texts): set(key, texts)
        case .removal: removedKeys.insert(key)
        }
    }

    private mutating func set(_ key: String, _ member: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.beginObject()
        member(&writer)
        writer.endObject()
        if let value = self[key] {
            replaced.append(Edit(value.quotedRange, writer.bytes))
        } else {
            add(key, text: writer.text)
        }
    }

    /// - Parameter text: A JSON value.
    private mutating func add(_ key: String, text: String) {
        added += ",{\"key\":\"\(key)\",\"value\":\(text)}"
    }
}
