import CallStacks
import JSONText
import StackRendering
import Symbolication

/// Writes an answer into a log record in OTLP's JSON: the stack as text in place of what was
/// received, that beside it, and what was found out.
struct LogRecordRewriting: ReportRewriting {
    /// Of the whole file.
    let bytes: [UInt8]
    /// Those of the record.
    let range: Range<Int>
    /// The attribute that holds the stack.
    let stackAttribute: String

    /// About what is written of a frame around its names: its number, its image and its address, or
    /// the lines of a tree. In bytes.
    private static let rowOverhead = 128

    func edits(with answers: AnsweredFrames, _ budget: inout EditBudget) -> [Edit] {
        let answer = answers.diagnostic
        guard answer.frameCounts.resolved > 0,
            budget.takes(answer.frames, repeating: Self.rowOverhead),
            let list = JSONDocument(bytes, in: range).root?["attributes"],
            let last = Array(list.elements).last
        else { return [] }
        var record = RecordAttributes(list)
        record.keep(stackAttribute, as: AttributeKeys.original, in: bytes)
        record.set(AttributeKeys.stackTrace, StackText().stacks(of: answer))
        record.add(answer)
        let end = last.quotedRange.upperBound
        return record.replaced + [Edit(end..<end, record.added)]
    }
}

/// What becomes of a record's attributes.
private struct RecordAttributes {
    private let values: [(key: String, value: JSONValue)]
    private(set) var replaced: [Edit] = []
    private(set) var added = ""

    init(_ list: JSONValue) {
        values = list.elements.compactMap { element in
            guard let key = element["key"]?.string, let value = element["value"] else { return nil }
            return (key, value)
        }
    }

    private subscript(key: String) -> JSONValue? { values.first { $0.key == key }?.value }

    /// Copies an attribute, unless there is a copy.
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

    /// OTLP writes integers of 64 bits as strings.
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

    mutating func add(_ answer: SymbolicatedDiagnostic) {
        if let name = answer.exceptionName, self[AttributeKeys.exceptionType] == nil {
            set(AttributeKeys.exceptionType, name)
        }
        if let message = answer.exceptionMessage, self[AttributeKeys.exceptionMessage] == nil {
            set(AttributeKeys.exceptionMessage, message)
        }
        let counts = answer.frameCounts
        set(AttributeKeys.failed, answer.status == .raw)
        if let reasons = answer.rawReasons { set(AttributeKeys.error, reasons) }
        set(AttributeKeys.status, answer.status.rawValue)
        set(AttributeKeys.frames, counts.total)
        set(AttributeKeys.symbolicatedFrames, counts.resolved)
        set(AttributeKeys.missingImages, answer.missingImages)
        set(AttributeKeys.fingerprint, answer.fingerprint)
        addCulprit(of: answer)
    }

    private mutating func addCulprit(of answer: SymbolicatedDiagnostic) {
        if let culprit = answer.culprit { set(AttributeKeys.culprit, culprit) }
        guard let row = answer.culpritRow.map({ answer.frames[$0] }) else { return }
        if let function = row.codeFunctionName { set(AttributeKeys.function, function) }
        if let file = row.file { set(AttributeKeys.path, file.path) }
        if row.line > 0 { set(AttributeKeys.line, Int(row.line)) }
        if row.column > 0 { set(AttributeKeys.column, Int(row.column)) }
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

    /// - Parameter text: JSON.
    private mutating func add(_ key: String, text: String) {
        added += ",{\"key\":\"\(key)\",\"value\":\(text)}"
    }
}
