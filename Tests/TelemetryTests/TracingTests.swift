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

    /// What a collector would have received.
    final class Outbox: Sendable {
        let bodies = Mutex<[[UInt8]]>([])

        func requests() throws -> [ExportTraceServiceRequest] {
            try bodies.withLock { $0 }.map { try .init(decoding: $0, as: .protobuf) }
        }

        func spans() throws -> [OTLP.Span] {
            try requests().flatMap { $0.resourceSpans[0].scopeSpans[0].spans }
        }
    }

    func flush() async {
        await TraceExport(
            tracer, resource: ["service.name": "symbolist"], logger: Logger(label: "test")
        ) { body in
            outbox.bodies.withLock { $0.append(body) }
            // As an HTTP client does that traces its requests.
            tracer.withSpan("sending") { _ in }
        }.flush()
    }

    @Test("spans inside one another are one trace")
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

    @Test("a span tells its status, events, errors and links")
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
        #expect(found.events.map(\.name) == ["event", "exception"])
        #expect(found.events[1].attributes["exception.type"]?.string == "CancellationError")
        #expect(
            found.links.map(\.traceID) == [Data(try #require(other.context.spanIdentity).trace)])
    }

    @Test("parts of a span beyond the limit are counted")
    func parts() async throws {
        let span = tracer.startSpan("span")
        for number in 0..<SpanStory.partLimit + 5 {
            span.addEvent("event")
            span.attributes["key\(number)"] = number
        }
        span.end()
        await flush()
        let found = try #require(try outbox.spans().first)
        #expect(found.events.count == SpanStory.partLimit)
        #expect(found.droppedEventsCount == 5)
        #expect(found.attributes.count == SpanStory.partLimit)
        #expect(found.droppedAttributesCount == 5)
    }

    @Test("a caller's trace goes on here, and from here to whoever is called")
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
        #expect(SpanIdentity(header: header)?.header == header)
        #expect(found.parentSpanID == Data([0, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7]))
        let sent = try #require(called["traceparent"].flatMap(SpanIdentity.init(header:)))
        #expect(Data(sent.trace) == found.traceID)
        #expect(Data(sent.span) == found.spanID)
        #expect(sent.isSampled)
    }

    @Test("what the caller does not want to see is not sent, and not asked for further on")
    func unsampled() async throws {
        let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
        var context = InstrumentationContext.topLevel
        tracer.extract(["traceparent": header], into: &context, using: Headers())
        let span = tracer.startSpan("span", context: context)
        #expect(!span.isRecording)
        #expect(span.context.spanIdentity?.isSampled == false)
        span.end()
        await flush()
        #expect(try outbox.requests() == [])
    }

    @Test(
        "a header that is none begins a new trace",
        arguments: [
            "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
        ])
    func badHeaders(header: String) { #expect(SpanIdentity(header: header) == nil) }

    @Test("a header of a later version is understood")
    func laterHeader() {
        let header = "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"
        #expect(SpanIdentity(header: header)?.isSampled == true)
    }

    @Test("a queue that is full leaves out what comes, and all is sent in batches")
    func bounds() async throws {
        for _ in 0..<SpanQueue.limit + 10 { tracer.startSpan("span").end() }
        await flush()
        #expect(try outbox.spans().count == SpanQueue.limit)
        #expect(try outbox.requests().count == SpanQueue.limit / TraceExport.batchCount)
        await flush()
        #expect(try outbox.spans().count == SpanQueue.limit)
    }

    @Test("a collector that refuses costs the batch and no more")
    func refusal() async throws {
        tracer.startSpan("lost").end()
        let export = TraceExport(tracer, resource: [:], logger: Logger(label: "test")) { _ in
            throw CancellationError()
        }
        await export.flush()
        tracer.startSpan("kept").end()
        await flush()
        #expect(try outbox.spans().map(\.name) == ["kept"])
    }

    @Test("what waits when the service stops is sent before it ends")
    func stop() async throws {
        tracer.startSpan("last").end()
        let logger = Logger(label: "test")
        let export = TraceExport(tracer, resource: [:], logger: logger) { body in
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
