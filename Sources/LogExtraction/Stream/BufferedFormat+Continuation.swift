import JSONText
import ReportFormats

extension BufferedFormat {
    /// Returns the format after one more line, or `nil` if the line cannot belong to the report.
    func continued(by line: ArraySlice<UInt8>) -> Self? {
        let content = line.trimmedLine
        switch self {
        case .binary, .value: return self
        case .document(let document): return Self.next(after: document, line, content)
        case .text:
            switch Self.json(begunBy: line) {
            case .document(let document): return .document(document)
            case .value: return nil
            default: return Self.isEnd(content) ? .ended : self
            }
        case .ended:
            if content.elementsEqual("Full Report".utf8) { return .document(BufferedDocument()) }
            return content.isEmpty || Self.isRule(content) ? self : nil
        case .stacks, .stackRecords: return stacks(continuedBy: line)
        case .rows:
            return FrameLine(content) != nil || OffsetList.isIdentified(by: content) ? self : nil
        case .heading:
            if Self.startsText(content) || CrashTextHeading(content) != nil { return .text }
            return content.isEmpty || Self.isHeading(content) ? self : nil
        case .records: return BufferedLogRecord(content) == nil ? nil : self
        case .recordHeading: return BufferedLogRecord(content)?.isHeading == true ? .records : nil
        case .preamble: return Self.next(afterPreamble: content)
        }
    }

    /// Returns the format after one more line of a document. JSON in a text report that is not a
    /// report itself belongs to the text.
    private static func next(
        after document: BufferedDocument, _ line: ArraySlice<UInt8>, _ content: ArraySlice<UInt8>
    ) -> Self? {
        let next = document.continued(by: line, content)
        guard document.followsText, !document.hasEvidence else { return next }
        if case .document(let document)? = next, !document.endsWithoutReport { return next }
        return next == nil ? Self.text.continued(by: line) : .text
    }

    private func stacks(continuedBy line: ArraySlice<UInt8>) -> Self? {
        let parsed = parsing(line)
        if parsed.line != nil { return parsed.format }
        if case .stacks = self, Self.json(begunBy: line) != nil { return nil }
        // A line that begins another report ends this one.
        guard let text = stackText(in: line), idleLinesLimit > 1 else { return nil }
        return Self.startsText(text.trimmedLine) ? nil : self
    }

    private static func next(afterPreamble content: ArraySlice<UInt8>) -> Self? {
        if SwiftTextReport.isIdentified(by: content) { return .text }
        if FrameLine(content) != nil { return .rows }
        let isOfRuntime =
            content.isEmpty || content.position(of: "swift-runtime: ") != nil
            || content.position(of: "First throw call stack:") != nil
            || content.elementsEqual("(".utf8)
        return isOfRuntime || SwiftPreamble.isMessage(content) ? .preamble : nil
    }

    /// Returns the format of JSON that begins with a line, or `nil` if it does not begin a report
    /// in JSON.
    private static func json(begunBy line: ArraySlice<UInt8>) -> Self? {
        guard line.first == UInt8(ascii: "{") else { return nil }
        let content = line.trimmedLine
        switch DocumentDetection.format(content, isFirst: false) {
        case .document(var document):
            document.followsText = true
            return .document(document)
        case .value:
            let root = JSONDocument(Array(content)).root
            return root.map(DocumentDetection.isReport) == true ? .value : nil
        default: return nil
        }
    }
}
