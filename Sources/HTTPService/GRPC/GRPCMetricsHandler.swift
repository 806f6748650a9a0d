import GRPCCore
import Metrics
import NIOCore
import NIOHPACK
import NIOHTTP2
import Synchronization

/// Records the duration and outcome of the call on a stream. It is the stream's first handler, so
/// that calls refused by other handlers are counted too.
final class GRPCMetricsHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// The outcome of a call whose stream ended without a status.
    static let noOutcome = "none"

    private let metrics: GRPCMetrics
    private var method: String?
    private var code = noOutcome
    private let start = ContinuousClock.now

    init(_ metrics: GRPCMetrics) { self.metrics = metrics }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .headers(let frame) = unwrapInboundIn(data), method == nil {
            method = frame.headers.first(name: ":path") ?? ""
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .headers(let frame) = unwrapOutboundIn(data),
            let status = frame.headers.first(name: "grpc-status")
        {
            code = status
        }
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let method { metrics.count(method: method, code: code, start.duration(to: .now)) }
        context.fireChannelInactive()
    }
}

/// The metrics of calls. Unknown methods share one label, so that clients cannot create labels.
final class GRPCMetrics: Sendable {
    private let paths: Set<String>
    private let counters = Mutex<[[String]: Counter]>([:])
    private let timers: [String: Metrics.Timer]

    private static let otherMethods = "none"
    /// The names of the status codes, by number.
    private static let codes = [
        "ok", "cancelled", "unknown", "invalid_argument", "deadline_exceeded", "not_found",
        "already_exists", "permission_denied", "resource_exhausted", "failed_precondition",
        "aborted", "out_of_range", "unimplemented", "internal", "unavailable", "data_loss",
        "unauthenticated",
    ]

    /// - Parameter methods: The methods with labels of their own.
    init(methods: [MethodDescriptor]) {
        paths = Set(methods.map { "/\($0.fullyQualifiedMethod)" })
        var timers: [String: Metrics.Timer] = [:]
        for method in paths.union([Self.otherMethods]) {
            timers[method] = Metrics.Timer(
                label: "symbolist_grpc_request_seconds",
                dimensions: [("method", Self.label(method))])
        }
        self.timers = timers
        // Created at startup, so that alerts see them increase from 0.
        for path in paths { _ = counter(path, code: Self.codes[0]) }
    }

    func count(method: String, code: String, _ duration: Duration) {
        let method = paths.contains(method) ? method : Self.otherMethods
        counter(method, code: Self.name(ofCode: code)).increment()
        timers[method]?.recordSeconds(duration / .seconds(1))
    }

    private func counter(_ method: String, code: String) -> Counter {
        counters.withLock { counters in
            if let counter = counters[[method, code]] { return counter }
            let counter = Counter(
                label: "symbolist_grpc_requests_total",
                dimensions: [("method", Self.label(method)), ("code", code)])
            counters[[method, code]] = counter
            return counter
        }
    }

    private static func name(ofCode code: String) -> String {
        guard let number = Int(code), codes.indices.contains(number) else {
            return code == GRPCMetricsHandler.noOutcome ? code : "unknown"
        }
        return codes[number]
    }

    private static func label(_ method: String) -> String {
        method.hasPrefix("/") ? String(method.dropFirst()) : method
    }
}
