import CallStacks
import JSONText

/// Reads whatever MetricKit diagnostics arrive in: payloads, single diagnostics, bare trees, batches
/// of them, reports of iOS 27, exception texts, and OTLP log records that carry any of these.
///
/// Nothing is refused. What cannot be read is listed with its reason, and damaged JSON is read as
/// far as it goes.
public struct PayloadReader: Sendable {
    public var limits: PayloadLimits
    /// Whether frames may have names, as those of MetricKit never do. Costs a little for each frame.
    public var readsNames: Bool

    public init(limits: PayloadLimits = PayloadLimits(), readsNames: Bool = false) {
        self.limits = limits
        self.readsNames = readsNames
    }

    /// - Parameter bytes: UTF-8 text, without compression.
    public func read(_ bytes: [UInt8]) -> Payload { read(bytes, in: 0..<bytes.count) }

    /// - Parameter range: What counts as the upload; the ranges of the answer are of `bytes`.
    public func read(_ bytes: [UInt8], in range: Range<Int>) -> Payload {
        let end = min(range.upperBound, range.lowerBound + limits.bytes)
        var payload = read(
            bytes, in: range.lowerBound..<end, context: DiagnosticContext(readsNames: readsNames))
        if end < range.upperBound { payload.remarks.note(.sizeLimit) }
        return payload
    }

    /// - Parameter range: Where the record stands in the upload, in bytes.
    public func read(_ record: LogRecord, range: Range<Int> = 0..<0) -> PayloadElement {
        var element = PayloadElement(shape: .logRecord, range: range)
        if record.isSymbolicated { return element }
        let context = record.context(range: range)
        for (key, isCertain) in record.stackKeys {
            guard let bytes = record.bytes(key) else { continue }
            let end = min(bytes.count, limits.attributeBytes)
            let content = read(bytes, in: 0..<end, context: context)
            guard isCertain || content.elements.contains(where: \.shape.holdsStacks)
            else { continue }
            element.add(content, from: key)
            if end < bytes.count { element.remarks.note(.sizeLimit) }
            return element
        }
        return element
    }

    private func read(
        _ bytes: [UInt8], in range: Range<Int>, context: DiagnosticContext
    ) -> Payload {
        let text = JSONStart.trimmed(bytes, range)
        guard let first = bytes[text].first, JSONStart.isJSON(first) else {
            return Payload(elements: [readText(bytes, in: text, context: context)])
        }
        var payload = Payload()
        let isWhole = split(bytes, in: text) { add($0, to: &payload, context: context) }
        if !isWhole { payload.remarks.note(.sizeLimit) }
        if payload.elements.isEmpty {
            payload.elements = [.unknown(context.range ?? text, "json: holds no value")]
        }
        return payload
    }

    /// Calls `body` with each value of a batch.
    ///
    /// - Returns: Whether these were all.
    private func split(
        _ bytes: [UInt8], in range: Range<Int>, _ body: (ElementSplitter.Piece) -> Void
    ) -> Bool {
        var splitter = ElementSplitter(bytes, in: range, limits: limits)
        while let piece = splitter.next() { body(piece) }
        return !splitter.reachedLimit
    }

    private func add(
        _ piece: ElementSplitter.Piece, to payload: inout Payload, context: DiagnosticContext
    ) {
        if let content = piece.document.root?.stringBytes, JSONStart.isContainer(content) {
            addDecoded(content, piece.range, to: &payload, context: context)
            return
        }
        let reader = ElementReader(limits: limits, context: context)
        if reader.holdsLogRecords(piece) {
            addRecords(piece, to: &payload)
        } else {
            payload.elements.append(reader.element(of: piece))
        }
    }

    /// Reads JSON that was sent inside of a JSON string. A string in there stays one.
    private func addDecoded(
        _ content: ArraySlice<UInt8>, _ range: Range<Int>, to payload: inout Payload,
        context: DiagnosticContext
    ) {
        var context = context
        context.range = context.range ?? range
        let reader = ElementReader(limits: limits, context: context)
        let count = payload.elements.count
        let isWhole = split(Array(content), in: 0..<content.count) {
            payload.elements.append(reader.element(of: $0))
        }
        if !isWhole { payload.remarks.note(.sizeLimit) }
        if payload.elements.count == count {
            payload.elements.append(.unknown(range, "json: a string holds no value"))
        }
    }

    private func addRecords(_ piece: ElementSplitter.Piece, to payload: inout Payload) {
        guard let root = piece.document.root else { return }
        let count = payload.elements.count
        LogRecordJSON(root: root).forEachRecord { record, value in
            guard payload.elements.count < limits.logRecords else {
                payload.remarks.note(.sizeLimit)
                return false
            }
            payload.elements.append(read(record, range: value.range))
            return true
        }
        if payload.elements.count == count {
            payload.elements.append(PayloadElement(shape: .logRecords, range: piece.range))
        }
        if let failure = piece.document.failure {
            payload.elements[payload.elements.count - 1].note(failure)
        }
    }

    private func readText(
        _ bytes: [UInt8], in range: Range<Int>, context: DiagnosticContext
    ) -> PayloadElement {
        let place = context.range ?? range
        guard let exception = ExceptionText(bytes[range], limits: limits) else {
            let explanation = range.isEmpty ? "text: is empty" : "text: is no call stack"
            return .unknown(place, explanation)
        }
        let diagnostic = ReceivedDiagnostic(
            kind: context.kind ?? .unknown, details: context.details, remarks: [], range: place,
            stacks: .text(exception.tree(reportedBy: context.executable)))
        return PayloadElement(shape: .exceptionText, range: place, diagnostics: [diagnostic])
    }
}
