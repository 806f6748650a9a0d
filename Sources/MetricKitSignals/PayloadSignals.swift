import CallStacks
import JSONText
package import MetricKitPayloads
package import OTLP

/// Everything that a MetricKit payload becomes: the spans and log records that OpenTelemetry's
/// instrumentation would have sent from the device, the figures that people watch, and what could
/// not be understood.
package struct PayloadSignals: Sendable {
    /// The record of one diagnostic.
    package struct Record: Sendable {
        package let diagnostic: ReceivedDiagnostic
        package let resource: Resource
        /// With its stack as received.
        package let record: OTLP.LogRecord
    }

    /// In the order in which the instrumentation sends them.
    package private(set) var records: [Record] = []
    package private(set) var figures: [PayloadFigures] = []
    package private(set) var problems = ConversionProblems()
    private var spans: [(resource: Resource, span: Span)] = []

    /// - Parameter bytes: One payload, diagnostic or tree; of a batch everything together.
    package init(
        of bytes: [UInt8], reader: PayloadReader = PayloadReader(), context: ConversionContext
    ) {
        let payload = reader.read(bytes)
        var records: [Record] = []
        for element in payload.elements { add(element, bytes, context, &records) }
        self.records = Self.inOrder(records, \.diagnostic)
        for remark in payload.remarks { problems.add("payload: \(remark.rawValue)") }
    }

    /// Brings diagnostics, or what belongs to them, into the order of their records.
    package static func inOrder<Element>(
        _ elements: [Element], _ diagnostic: (Element) -> ReceivedDiagnostic
    ) -> [Element] {
        elements.enumerated().sorted {
            (diagnostic($0.element).kind.rank, $0.offset)
                < (diagnostic($1.element).kind.rank, $1.offset)
        }.map(\.element)
    }

    package var spanCount: Int { spans.count }

    /// `nil` where there is no span.
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

    /// Records with their resources and scopes.
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
        _ element: PayloadElement, _ bytes: [UInt8], _ context: ConversionContext,
        _ records: inout [Record]
    ) {
        let fields = JSONDocument(element.fields).root
        switch element.shape {
        case .metricPayload:
            if let fields { addMetrics(fields, element, context) }
            return
        case .diagnosticPayload, .diagnosticReport27, .diagnostic, .callStackTree, .exceptionText:
            break
        case .metricReport27, .logRecords, .logRecord, .unknown:
            let remark = element.remarks.first?.rawValue ?? element.shape.rawValue
            problems.add("payload: \(remark): nothing becomes of it")
            return
        }
        let period = PayloadPeriod(of: fields, arrival: context.arrival)
        let count = records.count
        for diagnostic in element.diagnostics {
            let made = DiagnosticRecord(
                diagnostic, of: bytes, end: period.stop, context: context)
            records.append(
                Record(diagnostic: diagnostic, resource: made.resource, record: made.record))
            problems.add(made.problems)
        }
        if element.shape == .diagnosticPayload || element.shape == .diagnosticReport27 {
            addSpan(of: element, fields, period, records[count...].first?.resource, context)
        }
    }

    private mutating func addMetrics(
        _ payload: JSONValue, _ element: PayloadElement, _ context: ConversionContext
    ) {
        let made = MetricSpans(payload, damage: element.unread, context: context)
        spans += made.spans.map { (made.resource, $0) }
        problems.add(made.problems)
        if element.unread.isEmpty, let figures = PayloadFigures(of: payload, context: context) {
            self.figures.append(figures)
        }
    }

    /// The span of a diagnostic payload, which has no attributes unless there is something to say.
    private mutating func addSpan(
        of element: PayloadElement, _ fields: JSONValue?, _ period: PayloadPeriod,
        _ resource: Resource?, _ context: ConversionContext
    ) {
        var signal = SignalAttributes()
        if let fields { Self.diagnosticLeftovers.carry(from: fields, into: &signal) }
        for (moment, key) in [(period.begin, "timeStampBegin"), (period.end, "timeStampEnd")]
        where moment.isUnread {
            signal.note(problem: "\(key): is no date")
            if let json = fields?[key] { signal.carry(json, at: key) }
        }
        for part in element.unread { signal.note(problem: part.explanation) }
        problems.add(signal.problems)
        let span = context.span(
            "MXDiagnosticPayload", position: spans.count, from: period.start, to: period.stop,
            attributes: signal.finished)
        spans.append((resource ?? PayloadResource([]).resource, span))
    }

    private static let diagnosticLeftovers = LeftoverMembers(
        known: ["timeStampBegin", "timeStampEnd", "timeRange", "environment"])
}

extension DiagnosticKind {
    /// The place of its records among those of a payload.
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
    /// Elements that follow one another and have the same of something.
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
