package import CallStacks
package import OTLP

/// The parameters of a payload's conversion.
package struct ConversionContext: Sendable {
    /// The time when the payload was received, the same for all its signals.
    package var arrival: UnixTime
    package var identity: SignalIdentity
    /// Whether records of diagnostics have data that the instrumentation does not send: metadata,
    /// all trees, and unknown members.
    package var hasAdditions: Bool

    package init(arrival: UnixTime, identity: SignalIdentity, hasAdditions: Bool = true) {
        self.arrival = arrival
        self.identity = identity
        self.hasAdditions = hasAdditions
    }

    /// The instrumentation library that would have sent the signals from the device.
    package static let scope: InstrumentationScope = {
        var scope = InstrumentationScope()
        scope.name = "MetricKit"
        scope.version = "0.0.1"
        return scope
    }()

    /// Returns a root span, the only kind that the instrumentation sends.
    func span(
        _ name: String, position: Int, from start: UnixTime, to stop: UnixTime,
        attributes: [KeyValue]
    ) -> Span {
        var span = Span()
        span.name = name
        span.traceID = identity.traceID(position)
        span.spanID = identity.spanID(position)
        span.kind = .internal
        span.startTimeUnixNano = start.nanoseconds
        span.endTimeUnixNano = stop.nanoseconds
        span.attributes = attributes
        return span
    }
}
