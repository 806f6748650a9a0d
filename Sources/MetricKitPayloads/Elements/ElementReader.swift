import CallStacks
import JSONText
import Problems

/// Reads one JSON value of an upload as an element.
struct ElementReader {
    let limits: PayloadLimits
    let context: DiagnosticContext

    /// Whether each log record in a value is a separate element.
    func containsLogRecords(_ piece: ElementSplitter.Piece) -> Bool {
        guard !context.isLogRecord, let root = piece.document.root else { return false }
        let shape = PayloadShape(of: root)
        return shape == .logRecords || shape == .logRecord
    }

    func element(of piece: ElementSplitter.Piece) -> PayloadElement {
        let failure = piece.document.failure
        let range = context.range ?? piece.range
        guard let (shape, value) = content(of: piece) else {
            guard let failure else {
                return .unknown(range, problem: Problem("json", detail: "has an unknown structure"))
            }
            var element = PayloadElement(shape: .unknown, range: range, remarks: [.unknownShape])
            element.add(failure)
            return element
        }
        var reader = DiagnosticReader(
            limits: limits, context: context, damage: failure.map { Remark($0.reason) })
        reader.read(value, as: shape)
        var element = PayloadElement(
            shape: shape, range: range, diagnostics: reader.diagnostics, unread: reader.unread)
        element.fields = Self.fields(of: value, shape: shape)
        if shape == .metricReport27 { element.remarks.add(.metricReport27Unmapped) }
        if let failure { element.add(failure) }
        return element
    }

    private static func fields(of value: JSONValue, shape: PayloadShape) -> [UInt8] {
        switch shape {
        case .diagnosticPayload, .metricPayload: FieldsJSON.ofPayload(value)
        case .diagnosticReport27: FieldsJSON.ofReport27(value)
        case .diagnostic, .callStackTree, .metricReport27, .logRecords, .logRecord, .exceptionText,
            .unknown:
            []
        }
    }

    /// Returns the shape of an element and its value: itself, or the `payload` of an envelope.
    private func content(of piece: ElementSplitter.Piece) -> (PayloadShape, JSONValue)? {
        guard let root = piece.document.root else { return nil }
        for value in [root, root["payload"]].compactMap({ $0 }) {
            let shape = PayloadShape(of: value)
            if shape.isOfMetricKit { return (shape, value) }
        }
        return nil
    }
}

extension PayloadElement {
    static func unknown(_ range: Range<Int>, problem: Problem) -> Self {
        let part = UnreadPart(range: range, remark: .unknownShape, problem: problem)
        return Self(shape: .unknown, range: range, unread: [part], remarks: [.unknownShape])
    }

    /// Adds the reason why its text is incomplete.
    mutating func add(_ failure: JSONError) {
        let remark = Remark(failure.reason)
        remarks.add(remark)
        unread.append(UnreadPart(range: range, remark: remark, problem: failure.problem))
    }

    /// Adds the content of an attribute.
    mutating func add(_ content: Payload, from attribute: String) {
        stackAttribute = attribute
        let parts = content.elements
        if !parts.isEmpty, parts.allSatisfy({ $0.shape == .metricPayload }) {
            shape = .metricPayload
        }
        diagnostics = content.diagnostics
        unread = parts.flatMap(\.unread)
        for remark in content.remarks + parts.flatMap(\.remarks) { remarks.add(remark) }
    }
}

extension Remark {
    init(_ reason: JSONError.Reason) {
        self =
            switch reason {
            case .truncated: .jsonTruncated
            case .invalid: .jsonInvalid
            case .depthLimit: .depthLimit
            case .bytesLimit, .tokensLimit: .sizeLimit
            }
    }
}
