import CallStacks
import JSONText

/// Makes an element of one JSON value of an upload.
struct ElementReader {
    let limits: PayloadLimits
    let context: DiagnosticContext

    /// Whether each record in a value is an element of its own.
    func holdsLogRecords(_ piece: ElementSplitter.Piece) -> Bool {
        guard !context.isLogRecord, let root = piece.document.root else { return false }
        let shape = PayloadShape(of: root)
        return shape == .logRecords || shape == .logRecord
    }

    func element(of piece: ElementSplitter.Piece) -> PayloadElement {
        let failure = piece.document.failure
        let range = context.range ?? piece.range
        guard let (shape, value) = content(of: piece) else {
            guard let failure else { return .unknown(range, "json: has a shape that is not known") }
            var element = PayloadElement(shape: .unknown, range: range, remarks: [.unknownShape])
            element.note(failure)
            return element
        }
        var reader = DiagnosticReader(
            limits: limits, context: context, damage: failure.map { Remark($0.reason) })
        reader.read(value, as: shape)
        var element = PayloadElement(
            shape: shape, range: range, diagnostics: reader.diagnostics, unread: reader.unread)
        element.fields = Self.fields(of: value, shape)
        if shape == .metricReport27 { element.remarks.note(.metricReport27Unmapped) }
        if let failure { element.note(failure) }
        return element
    }

    private static func fields(of value: JSONValue, _ shape: PayloadShape) -> [UInt8] {
        switch shape {
        case .diagnosticPayload, .metricPayload: FieldText.ofPayload(value)
        case .diagnosticReport27: FieldText.ofReport27(value)
        case .diagnostic, .callStackTree, .metricReport27, .logRecords, .logRecord, .exceptionText,
            .unknown:
            []
        }
    }

    /// What an element is, and the value that is it: itself, or the `payload` of an envelope.
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
    static func unknown(_ range: Range<Int>, _ explanation: String) -> Self {
        let part = UnreadPart(range: range, remark: .unknownShape, explanation: explanation)
        return Self(shape: .unknown, range: range, unread: [part], remarks: [.unknownShape])
    }

    /// Notes why its text is not whole.
    mutating func note(_ failure: JSONError) {
        let remark = Remark(failure.reason)
        remarks.note(remark)
        unread.append(UnreadPart(range: range, remark: remark, explanation: failure.description))
    }

    /// Takes over what was found in an attribute.
    mutating func add(_ content: Payload, from attribute: String) {
        stackAttribute = attribute
        let parts = content.elements
        if !parts.isEmpty, parts.allSatisfy({ $0.shape == .metricPayload }) {
            shape = .metricPayload
        }
        diagnostics = content.diagnostics
        unread = parts.flatMap(\.unread)
        for remark in content.remarks + parts.flatMap(\.remarks) { remarks.note(remark) }
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
