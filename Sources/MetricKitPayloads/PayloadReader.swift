import CallStacks
import JSONText

/// Reads whatever MetricKit diagnostics arrive in: payloads, single diagnostics, bare trees, batches
/// of them, reports of iOS 27, and OTLP log records that carry any of these.
///
/// Nothing is refused. What cannot be read is listed with its reason, and damaged JSON is read as
/// far as it goes.
public struct PayloadReader: Sendable {
    public var limits: PayloadLimits

    public init(limits: PayloadLimits = PayloadLimits()) { self.limits = limits }

    /// - Parameter bytes: UTF-8 text, without compression.
    public func read(_ bytes: [UInt8]) -> Payload {
        let end = min(bytes.count, limits.bytes)
        var payload = read(bytes, in: 0..<end)
        if end < bytes.count { payload.remarks.note(.sizeLimit) }
        return payload
    }

    private func read(_ bytes: [UInt8], in range: Range<Int>) -> Payload {
        let text = Self.trimmed(bytes, range)
        guard let first = bytes[text].first else {
            return Payload(elements: [Self.unknown(range, "text: is empty")])
        }
        guard Self.beginsJSON(first) else {
            return Payload(elements: [Self.unknown(range, "text: is neither json nor a call stack")]
            )
        }
        var payload = Payload()
        var splitter = ElementSplitter(bytes, in: text, limits: limits)
        while let piece = splitter.next() { payload.elements += elements(of: piece, context: nil) }
        if splitter.reachedLimit { payload.remarks.note(.sizeLimit) }
        return payload
    }

    private func elements(
        of piece: ElementSplitter.Piece, context: DiagnosticContext?
    ) -> [PayloadElement] {
        guard let root = piece.document.root else {
            return [Self.unread(piece, shape: .unknown)]
        }
        if let content = root.stringBytes, context == nil, Self.beginsJSON(content) {
            return decoded(content, range: piece.range)
        }
        return [element(root, piece: piece, context: context ?? DiagnosticContext())]
    }

    /// Reads JSON that was sent inside of a JSON string. A string in there stays one.
    private func decoded(_ content: ArraySlice<UInt8>, range: Range<Int>) -> [PayloadElement] {
        let context = DiagnosticContext(range: range)
        var splitter = ElementSplitter(Array(content), in: 0..<content.count, limits: limits)
        var elements: [PayloadElement] = []
        while let piece = splitter.next() {
            elements += self.elements(of: piece, context: context)
        }
        return elements
    }

    private func element(
        _ root: JSONValue, piece: ElementSplitter.Piece, context: DiagnosticContext
    ) -> PayloadElement {
        var (shape, value) = (PayloadShape(of: root), root)
        if shape == .unknown, let payload = root["payload"] {
            (shape, value) = (PayloadShape(of: payload), payload)
        }
        var reader = DiagnosticReader(limits: limits, context: context)
        reader.read(value, as: shape)
        var element = PayloadElement(
            shape: shape, range: context.range ?? piece.range, diagnostics: reader.diagnostics,
            unread: reader.unread)
        if shape == .metricReport27 { element.remarks.note(.metricReport27Unmapped) }
        if shape == .unknown { element.remarks.note(.unknownShape) }
        if let failure = piece.document.failure { element.note(failure) }
        return element
    }
}

extension PayloadReader {
    private static func beginsJSON(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "\"")
    }

    private static func beginsJSON(_ content: ArraySlice<UInt8>) -> Bool {
        guard let first = content.first(where: { !isSpace($0) }) else { return false }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0d).contains(byte)
    }

    /// The text without a byte-order mark and white space around it.
    private static func trimmed(_ bytes: [UInt8], _ range: Range<Int>) -> Range<Int> {
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        let start = range.lowerBound + (bytes[range].starts(with: mark) ? mark.count : 0)
        let text = bytes[start..<range.upperBound]
        guard let first = text.firstIndex(where: { !isSpace($0) }),
            let last = text.lastIndex(where: { !isSpace($0) })
        else { return start..<start }
        return first..<last + 1
    }

    private static func unknown(_ range: Range<Int>, _ explanation: String) -> PayloadElement {
        PayloadElement(
            shape: .unknown, range: range,
            unread: [
                UnreadPart(range: range, remark: .unknownShape, explanation: explanation)
            ], remarks: [.unknownShape])
    }

    private static func unread(
        _ piece: ElementSplitter.Piece, shape: PayloadShape
    ) -> PayloadElement {
        var element = PayloadElement(shape: shape, range: piece.range)
        if let failure = piece.document.failure { element.note(failure) }
        element.remarks.note(.unknownShape)
        return element
    }
}

extension PayloadElement {
    /// Notes why its text is not whole, and marks the diagnostics that were salvaged from it.
    mutating func note(_ failure: JSONError) {
        let remark = Remark(failure.reason)
        remarks.note(remark)
        unread.append(
            UnreadPart(
                range: min(failure.offset, range.upperBound)..<range.upperBound, remark: remark,
                explanation: failure.description))
        for index in diagnostics.indices { diagnostics[index].remarks.note(remark) }
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
