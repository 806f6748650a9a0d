import Foundation
import OTLP
import Tracing

extension ExportTraceServiceRequest {
    init(_ spans: ArraySlice<FinishedSpan>, resource attributes: [String: String]) {
        self.init()
        var scope = ScopeSpans()
        scope.scope.name = "symbolist"
        scope.spans = spans.map(OTLP.Span.init)
        var resource = ResourceSpans()
        resource.resource.attributes = attributes.sorted { $0.key < $1.key }.map { key, value in
            KeyValue(key, AnyValue(.stringValue(value)))
        }
        resource.scopeSpans = [scope]
        resourceSpans = [resource]
    }
}

extension OTLP.Span {
    fileprivate init(_ span: FinishedSpan) {
        self.init()
        let (start, state) = (span.start, span.state)
        traceID = Data(start.spanContext.traceID)
        spanID = Data(start.spanContext.spanID)
        parentSpanID = Data(start.parent)
        // The trace flags: the span is sampled, or it would not be sent.
        flags = 1
        name = state.name
        kind = SpanKind(start.kind)
        startTimeUnixNano = start.nanoseconds
        endTimeUnixNano = max(span.endNanoseconds, start.nanoseconds)
        attributes = .init(state.attributes)
        droppedAttributesCount = state.attributes.droppedCount
        events = state.events.map(Event.init)
        droppedEventsCount = state.droppedEvents
        links = state.links.compactMap(Link.init)
        droppedLinksCount = state.droppedLinks
        if let status = state.status { self.status = Opentelemetry_Proto_Trace_V1_Status(status) }
    }
}

extension OTLP.Span.SpanKind {
    fileprivate init(_ kind: Tracing.SpanKind) {
        self =
            switch kind {
            case .server: .server
            case .client: .client
            case .producer: .producer
            case .consumer: .consumer
            case .internal: .internal
            }
    }
}

extension OTLP.Span.Event {
    fileprivate init(_ event: SpanEvent) {
        self.init()
        name = event.name
        timeUnixNano = event.nanosecondsSinceEpoch
        attributes = .init(event.attributes)
        droppedAttributesCount = event.attributes.droppedCount
    }
}

extension OTLP.Span.Link {
    /// Returns `nil` if the link is not to a span.
    fileprivate init?(_ link: SpanLink) {
        guard let spanContext = link.context.spanContext else { return nil }
        self.init()
        traceID = Data(spanContext.traceID)
        spanID = Data(spanContext.spanID)
        attributes = .init(link.attributes)
        droppedAttributesCount = link.attributes.droppedCount
    }
}

extension Opentelemetry_Proto_Trace_V1_Status {
    fileprivate init(_ status: SpanStatus) {
        self.init()
        code = status.code == .ok ? .ok : .error
        message = status.message ?? ""
    }
}

extension SpanAttributes {
    fileprivate var droppedCount: UInt32 { UInt32(max(count - SpanState.partLimit, 0)) }
}

extension [KeyValue] {
    /// Creates attributes sorted by name, up to the limit of a span.
    fileprivate init(_ attributes: SpanAttributes) {
        var found: [KeyValue] = []
        attributes.forEach { name, value in
            found.append(KeyValue(name, AnyValue(.init(value))))
        }
        self = Array(found.sorted { $0.key < $1.key }.prefix(SpanState.partLimit))
    }
}

extension AnyValue.OneOf_Value {
    fileprivate init(_ attribute: SpanAttribute) {
        switch attribute {
        case .int32(let value): self = .intValue(Int64(value))
        case .int64(let value): self = .intValue(value)
        case .double(let value): self = .doubleValue(value)
        case .bool(let value): self = .boolValue(value)
        case .string(let value): self = .stringValue(value)
        case .stringConvertible(let value): self = .stringValue("\(value)")
        case .int32Array(let values): self = .array(values.map { .intValue(Int64($0)) })
        case .int64Array(let values): self = .array(values.map { .intValue($0) })
        case .doubleArray(let values): self = .array(values.map { .doubleValue($0) })
        case .boolArray(let values): self = .array(values.map { .boolValue($0) })
        case .stringArray(let values): self = .array(values.map { .stringValue($0) })
        case .stringConvertibleArray(let values):
            self = .array(values.map { .stringValue("\($0)") })
        // The library may add cases without a new major version.
        default: self = .stringValue("\(attribute)")
        }
    }

    private static func array(_ values: [Self]) -> Self {
        var array = Opentelemetry_Proto_Common_V1_ArrayValue()
        array.values = values.map { AnyValue($0) }
        return .arrayValue(array)
    }
}
