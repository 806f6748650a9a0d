public import CallStacks
import JSONText
import Problems

/// Reads MetricKit diagnostics in all forms: payloads, single diagnostics, bare trees, batches of
/// them, reports of iOS 27, exception texts, and OTLP log records with any of these.
///
/// Reading never fails. Unreadable parts are listed with the reason, and damaged JSON is read up to
/// the damage.
public struct PayloadReader: Sendable {
    public var limits: PayloadLimits
    /// Whether frames may have function names, which MetricKit's never do. Reading them takes a
    /// little time per frame.
    public var readsNames: Bool
    /// Reads the reports of other formats that log records have as their stack, or `nil` if they
    /// are not read.
    public var reports: (@Sendable (_ stack: [UInt8], _ limits: PayloadLimits) -> [Diagnostic])?
    /// Alternative names of the attributes of log records.
    public var aliases = LogRecordAliases()

    public init(limits: PayloadLimits = PayloadLimits(), readsNames: Bool = false) {
        self.limits = limits
        self.readsNames = readsNames
    }

    /// - Parameter bytes: UTF-8 text, not compressed.
    public func read(_ bytes: [UInt8]) -> Payload { read(bytes, in: 0..<bytes.count) }

    /// - Parameter range: The range of the upload; ranges in the result refer to `bytes`.
    public func read(_ bytes: [UInt8], in range: Range<Int>) -> Payload {
        let end = min(range.upperBound, range.lowerBound + limits.bytes)
        var payload = read(
            bytes, in: range.lowerBound..<end, context: DiagnosticContext(readsNames: readsNames))
        if end < range.upperBound { payload.remarks.add(.sizeLimit) }
        return payload
    }

    /// - Parameter range: The range of the record in the upload, in bytes.
    public func read(_ record: ReceivedLogRecord, range: Range<Int> = 0..<0) -> PayloadElement {
        let record = aliases.standardized(record)
        var element = PayloadElement(shape: .logRecord, range: range)
        if record.isSymbolicated { return element }
        let context = record.context(range: range)
        for (key, isCertain) in record.stackKeys {
            guard let bytes = record.stack(key) else { continue }
            if SymbolicatedStackText.isOne(bytes) { return element }
            let end = min(bytes.count, limits.attributeBytes)
            let content = read(bytes, in: 0..<end, context: context)
            if key == ReceivedLogRecord.StackKey.exception {
                element.diagnostics = reports(in: bytes[..<end], insteadOf: content, range: range)
            }
            if !element.diagnostics.isEmpty {
                element.stackAttribute = key
                if end < bytes.count { element.remarks.add(.sizeLimit) }
                return element
            }
            guard isCertain || content.elements.contains(where: \.shape.containsStacks)
            else { continue }
            element.add(content, from: key)
            if end < bytes.count { element.remarks.add(.sizeLimit) }
            return element
        }
        return element
    }

    /// Returns the reports of other formats in a stack that is not MetricKit's.
    ///
    /// - Parameters:
    ///   - content: The stack as this reader reads it.
    ///   - range: The range of the record in the upload, in bytes.
    private func reports(
        in stack: ArraySlice<UInt8>, insteadOf content: Payload, range: Range<Int>
    ) -> [ReceivedDiagnostic] {
        let isOfMetricKit = content.elements.map(\.shape).contains {
            $0.containsStacks && $0 != .exceptionText
        }
        guard let reports, !isOfMetricKit else { return [] }
        return reports(Array(stack), limits).map { ReceivedDiagnostic($0, range: range) }
    }

    private func read(
        _ bytes: [UInt8], in range: Range<Int>, context: DiagnosticContext
    ) -> Payload {
        let text = JSONDetection.trimmed(bytes, in: range)
        guard let first = bytes[text].first, JSONDetection.isJSON(first) else {
            return Payload(elements: [readText(bytes, in: text, context: context)])
        }
        var payload = Payload()
        let isWhole = split(bytes, in: text) { add($0, to: &payload, context: context) }
        if !isWhole { payload.remarks.add(.sizeLimit) }
        if payload.elements.isEmpty {
            payload.elements = [
                .unknown(context.range ?? text, problem: Problem("json", detail: "has no value"))
            ]
        }
        return payload
    }

    /// Calls `body` with each value of a batch.
    ///
    /// - Returns: Whether `body` was called with all values.
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
        if let content = piece.document.root?.stringBytes, JSONDetection.isContainer(content) {
            addDecoded(content, range: piece.range, to: &payload, context: context)
            return
        }
        let reader = ElementReader(limits: limits, context: context)
        if reader.containsLogRecords(piece) {
            addRecords(piece, to: &payload)
        } else {
            payload.elements.append(reader.element(of: piece))
        }
    }

    /// Reads JSON that was sent inside a JSON string. A string inside that JSON is not decoded.
    private func addDecoded(
        _ content: ArraySlice<UInt8>, range: Range<Int>, to payload: inout Payload,
        context: DiagnosticContext
    ) {
        var context = context
        context.range = context.range ?? range
        let reader = ElementReader(limits: limits, context: context)
        let count = payload.elements.count
        let isWhole = split(Array(content), in: 0..<content.count) {
            payload.elements.append(reader.element(of: $0))
        }
        if !isWhole { payload.remarks.add(.sizeLimit) }
        if payload.elements.count == count {
            payload.elements.append(
                .unknown(range, problem: Problem("json", detail: "has a string without a value")))
        }
    }

    private func addRecords(_ piece: ElementSplitter.Piece, to payload: inout Payload) {
        guard let root = piece.document.root else { return }
        let count = payload.elements.count
        LogRecordJSON(root: root).forEachRecord { record, value in
            guard payload.elements.count < limits.logRecords else {
                payload.remarks.add(.sizeLimit)
                return false
            }
            payload.elements.append(read(record, range: value.range))
            return true
        }
        if payload.elements.count == count {
            payload.elements.append(PayloadElement(shape: .logRecords, range: piece.range))
        }
        if let failure = piece.document.failure {
            payload.elements[payload.elements.count - 1].add(failure)
        }
    }

    private func readText(
        _ bytes: [UInt8], in range: Range<Int>, context: DiagnosticContext
    ) -> PayloadElement {
        let elementRange = context.range ?? range
        guard let exception = ExceptionText(bytes[range], limits: limits) else {
            let detail = range.isEmpty ? "is empty" : "is not a call stack"
            return .unknown(elementRange, problem: Problem("text", detail: detail))
        }
        let diagnostic = ReceivedDiagnostic(
            kind: context.kind ?? .unknown, details: context.details, remarks: [],
            range: elementRange,
            stacks: .text(exception.tree(reportedBy: context.executable)))
        return PayloadElement(shape: .exceptionText, range: elementRange, diagnostics: [diagnostic])
    }
}
