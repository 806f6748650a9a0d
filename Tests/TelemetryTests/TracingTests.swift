import Foundation
import Instrumentation
import Logging
import OTLP
import ServiceLifecycle
import Synchronization
import Testing
import Tracing

@testable import Telemetry

@Suite("Own traces")
struct TracingTests {
    let tracer = BatchingTracer()
    let outbox = Outbox()

    /// The requests that a collector would receive.
    final class Outbox: Sendable {
        let bodies = Mutex<[[UInt8]]>([])

        func requests() throws -> [ExportTraceServiceRequest] {
            try bodies.withLock { $0 }.map { try .init(decoding: $0, as: .protobuf) }
        }

        func spans() throws -> [OTLP.Span] {
            try requests().flatMap { $0.resourceSpans.first?.scopeSpans.first?.spans ?? [] }
        }
    }

    func flush() async {
        await TraceExporter(
            tracer, resource: ["service.name": "symbolist"], logger: Logger(label: "test")
        ) { body in
            outbox.bodies.withLock { $0.append(body) }
            // As an HTTP client with tracing does.
            tracer.withSpan("sending") { _ in }
        }.flush()
    }

    @Test("nested spans belong to one trace")
    func nesting() async throws {
        tracer.withSpan("request", ofKind: .server) { _ in
            tracer.withSpan("work") { work in work.attributes["frames"] = 3 }
        }
        await flush()
        let spans = try outbox.spans()
        let work = try #require(spans.first { $0.name == "work" })
        let request = try #require(spans.first { $0.name == "request" })
        #expect(spans.count == 2)
        #expect(request.kind == .server)
        #expect(request.traceID.count == 16)
        #expect(request.spanID.count == 8)
        #expect(request.parentSpanID.isEmpty)
        #expect(work.traceID == request.traceID)
        #expect(work.parentSpanID == request.spanID)
        #expect(work.spanID != request.spanID)
        #expect(work.attributes["frames"]?.integer == 3)
        #expect(request.startTimeUnixNano <= work.startTimeUnixNano)
        #expect(work.endTimeUnixNano <= request.endTimeUnixNano)
        let resource = try #require(try outbox.requests().first?.resourceSpans.first?.resource)
        #expect(resource.attributes["service.name"]?.string == "symbolist")
    }

    @Test("a span has a status, events, errors and links")
    func story() async throws {
        let other = tracer.startSpan("other")
        let span = tracer.startSpan("first name")
        span.operationName = "span"
        span.setStatus(SpanStatus(code: .error, message: "why"))
        span.addEvent(SpanEvent(name: "event", attributes: ["list": .stringArray(["a", "b"])]))
        span.recordError(CancellationError())
        span.addLink(other)
        span.end()
        span.end()
        span.setStatus(SpanStatus(code: .ok))
        #expect(!span.isRecording)
        await flush()
        let found = try #require(try outbox.spans().first)
        #expect(try outbox.spans().count == 1)
        #expect(found.name == "span")
        #expect(found.status.code == .error)
        #expect(found.status.message == "why")
        try #require(found.events.map(\.name) == ["event", "exception"])
        #expect(found.events[1].attributes["exception.type"]?.string == "CancellationError")
        #expect(
            found.links.map(\.traceID) == [Data(try #require(other.context.spanContext).traceID)])
    }

    @Test("attributes, events and links beyond the limit are counted as dropped")
    func parts() async throws {
        let span = tracer.startSpan("span")
        for number in 0..<SpanState.partLimit + 5 {
            span.addEvent("event")
            span.attributes["key\(number)"] = number
        }
        span.end()
        await flush()
        let found = try #require(try outbox.spans().first)
        #expect(found.events.count == SpanState.partLimit)
        #expect(found.droppedEventsCount == 5)
        #expect(found.attributes.count == SpanState.partLimit)
        #expect(found.droppedAttributesCount == 5)
    }

    @Test("a caller's trace is continued and propagated")
    func propagation() async throws {
        let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        var context = InstrumentationContext.topLevel
        tracer.extract(["traceparent": header], into: &context, using: Headers())
        let span = tracer.startSpan("span", context: context)
        var called: [String: String] = [:]
        tracer.inject(span.context, into: &called, using: Headers())
        span.end()
        await flush()
        let found = try #require(try outbox.spans().first)
        #expect(SpanContext(header: header)?.header == header)
        #expect(found.parentSpanID == Data([0, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7]))
        let sent = try #require(called["traceparent"].flatMap(SpanContext.init(header:)))
        #expect(Data(sent.traceID) == found.traceID)
        #expect(Data(sent.spanID) == found.spanID)
        #expect(sent.isSampled)
    }

    @Test("a trace that the caller does not sample is neither sent nor sampled downstream")
    func unsampled() async throws {
        let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
        var context = InstrumentationContext.topLevel
        tracer.extract(["traceparent": header], into: &context, using: Headers())
        let span = tracer.startSpan("span", context: context)
        #expect(!span.isRecording)
        #expect(span.context.spanContext?.isSampled == false)
        span.end()
        await flush()
        #expect(try outbox.requests() == [])
    }

    @Test(
        "an invalid header starts a new trace",
        arguments: [
            "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
        ])
    func badHeaders(header: String) { #expect(SpanContext(header: header) == nil) }

    @Test("a header of a later version is accepted")
    func laterHeader() {
        let header = "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"
        #expect(SpanContext(header: header)?.isSampled == true)
    }

    @Test("a full queue drops new spans, and the others are sent in batches")
    func bounds() async throws {
        for _ in 0..<SpanQueue.limit + 10 { tracer.startSpan("span").end() }
        await flush()
        #expect(try outbox.spans().count == SpanQueue.limit)
        #expect(try outbox.requests().count == SpanQueue.limit / TraceExporter.batchCount)
        await flush()
        #expect(try outbox.spans().count == SpanQueue.limit)
    }

    @Test("a failed request loses only its batch")
    func refusal() async throws {
        tracer.startSpan("lost").end()
        let export = TraceExporter(tracer, resource: [:], logger: Logger(label: "test")) { _ in
            throw CancellationError()
        }
        await export.flush()
        tracer.startSpan("kept").end()
        await flush()
        #expect(try outbox.spans().map(\.name) == ["kept"])
    }

    @Test("waiting spans are sent before the service ends")
    func stop() async throws {
        tracer.startSpan("last").end()
        let logger = Logger(label: "test")
        let export = TraceExporter(tracer, resource: [:], logger: logger) { body in
            outbox.bodies.withLock { $0.append(body) }
        }
        let group = ServiceGroup(services: [export], logger: logger)
        async let end: Void = group.run()
        await group.triggerGracefulShutdown()
        try await end
        #expect(try outbox.spans().map(\.name) == ["last"])
    }

    struct Headers: Extractor, Injector {
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }

        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
            carrier[key] = value
        }
    }
}
