import CallStacks
import JSONText
package import MetricKitPayloads
package import OTLP

/// The signals of a MetricKit payload: the spans and log records that OpenTelemetry's
/// instrumentation would have sent from the device, the watched metrics, and the problems of the
/// conversion.
package struct PayloadSignals: Sendable {
    package struct Record: Sendable {
        package let diagnostic: ReceivedDiagnostic
        package let resource: Resource
        /// The record, with its stack as received.
        package let record: OTLP.LogRecord
    }

    /// The records, in the instrumentation's order.
    package private(set) var records: [Record] = []
    package private(set) var figures: [PayloadFigures] = []
    package private(set) var problems = ConversionProblems()
    private var spans: [(resource: Resource, span: Span)] = []

    /// - Parameter bytes: One payload, diagnostic or tree; the signals of a batch are combined.
    package init(
        of bytes: [UInt8], reader: PayloadReader = PayloadReader(), context: ConversionContext
    ) {
        let payload = reader.read(bytes)
        var records: [Record] = []
        for element in payload.elements {
            add(element, of: bytes, context: context, records: &records)
        }
        self.records = Self.inOrder(records, \.diagnostic)
        for remark in payload.remarks { problems.add("payload: \(remark.rawValue)") }
    }

    /// Sorts diagnostics, or elements that belong to them, in the order of their records.
    package static func inOrder<Element>(
        _ elements: [Element], _ diagnostic: (Element) -> ReceivedDiagnostic
    ) -> [Element] {
        elements.enumerated().sorted {
            (diagnostic($0.element).kind.rank, $0.offset)
                < (diagnostic($1.element).kind.rank, $1.offset)
        }.map(\.element)
    }

    package var spanCount: Int { spans.count }

    /// The request with all spans, or `nil` if there are none.
    package var traces: ExportTraceServiceRequest? {
        guard !spans.isEmpty else { return nil }
        var request = ExportTraceServiceRequest()
        for run in spans.runs(by: \.resource) {
            var scope = ScopeSpans()
            scope.scope = ConversionContext.scope
            scope.spans = run.map(\.span)
            var resourceSpans = ResourceSpans()
            resourceSpans.resource = run[run.startIndex].resource
            resourceSpans.scopeSpans = [scope]
            request.resourceSpans.append(resourceSpans)
        }
        return request
    }

    /// Returns a request with records, their resources and scopes.
    package static func logs(
        of records: [(resource: Resource, record: OTLP.LogRecord)]
    ) -> ExportLogsServiceRequest {
        var request = ExportLogsServiceRequest()
        for run in records.runs(by: \.resource) {
            var scope = ScopeLogs()
            scope.scope = ConversionContext.scope
            scope.logRecords = run.map(\.record)
            var resourceLogs = ResourceLogs()
            resourceLogs.resource = run[run.startIndex].resource
            resourceLogs.scopeLogs = [scope]
            request.resourceLogs.append(resourceLogs)
        }
        return request
    }

    private mutating func add(
        _ element: PayloadElement, of bytes: [UInt8], context: ConversionContext,
        records: inout [Record]
    ) {
        let fields = JSONDocument(element.fields).root
        switch element.shape {
        case .metricPayload:
            if let fields { addMetrics(fields, element: element, context: context) }
            return
        case .diagnosticPayload, .diagnosticReport27, .diagnostic, .callStackTree, .exceptionText:
            break
        case .metricReport27, .logRecords, .logRecord, .unknown:
            let remark = element.remarks.first?.rawValue ?? element.shape.rawValue
            problems.add("payload: \(remark): not converted")
            return
        }
        let period = PayloadPeriod(of: fields, arrival: context.arrival)
        let count = records.count
        for diagnostic in element.diagnostics {
            let made = DiagnosticLogRecord(
                diagnostic, of: bytes, end: period.stop, context: context)
            records.append(
                Record(diagnostic: diagnostic, resource: made.resource, record: made.record))
            problems.add(made.problems)
        }
        if element.shape == .diagnosticPayload || element.shape == .diagnosticReport27 {
            addSpan(
                of: element, fields: fields, period: period,
                resource: records[count...].first?.resource, context: context)
        }
    }

    private mutating func addMetrics(
        _ payload: JSONValue, element: PayloadElement, context: ConversionContext
    ) {
        let made = MetricSpans(payload, damage: element.unread, context: context)
        spans += made.spans.map { (made.resource, $0) }
        problems.add(made.problems)
        if element.unread.isEmpty, let figures = PayloadFigures(of: payload, context: context) {
            self.figures.append(figures)
        }
    }

    /// Adds the span of a diagnostic payload, whose attributes are problems and unknown members.
    private mutating func addSpan(
        of element: PayloadElement, fields: JSONValue?, period: PayloadPeriod,
        resource: Resource?, context: ConversionContext
    ) {
        var signal = SignalAttributes()
        if let fields { Self.diagnosticLeftovers.carry(from: fields, into: &signal) }
        for (moment, key) in [(period.begin, "timeStampBegin"), (period.end, "timeStampEnd")]
        where moment.isUnread {
            signal.add(problem: "\(key): is not a date")
            if let json = fields?[key] { signal.carry(json, at: key) }
        }
        for part in element.unread { signal.add(problem: "\(part.problem)") }
        problems.add(signal.problems)
        let span = context.span(
            "MXDiagnosticPayload", position: spans.count, from: period.start, to: period.stop,
            attributes: signal.finished)
        spans.append((resource ?? PayloadResource([]).resource, span))
    }

    private static let diagnosticLeftovers = UnmappedMembers(
        known: ["timeStampBegin", "timeStampEnd", "timeRange", "environment"])
}

extension DiagnosticKind {
    /// The rank of its records among those of a payload.
    fileprivate var rank: Int {
        switch self {
        case .appLaunch: 0
        case .diskWriteException: 1
        case .hang: 2
        case .cpuException: 3
        case .crash: 4
        case .memoryException: 5
        case .unknown: 6
        }
    }
}

extension Array {
    /// Returns the runs of consecutive elements with an equal value.
    fileprivate func runs<Value: Equatable>(by value: (Element) -> Value) -> [ArraySlice<Element>] {
        var runs: [ArraySlice<Element>] = []
        var start = startIndex
        for index in indices where index > start && value(self[index]) != value(self[start]) {
            runs.append(self[start..<index])
            start = index
        }
        if start < endIndex { runs.append(self[start...]) }
        return runs
    }
}
