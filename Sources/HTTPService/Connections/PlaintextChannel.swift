import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOHTTP2

/// HTTP/1.1, or HTTP/2 if the client starts with its preface (RFC 9113, section 3.3).
struct PlaintextChannel: ServerChildChannel {
    typealias Negotiated = NIONegotiatedHTTPVersion<HTTP1Channel.Value, HTTP2Channel.Value>

    struct Value: ServerChildChannelValue {
        let negotiated: EventLoopFuture<Negotiated>
        let channel: any Channel
    }

    let http1: HTTP1Channel
    let http2: HTTP2Channel
    /// The timeout for the first bytes, in seconds.
    let prefaceSeconds: Int64

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let negotiated = channel.eventLoop.makePromise(of: Negotiated.self)
            let detection = HTTP2PrefaceHandler(
                seconds: prefaceSeconds,
                setUp: { isHTTP2 in
                    isHTTP2
                        ? setUpHTTP2(channel, logger: logger).map { .http2($0) }
                        : http1.setup(channel: channel, logger: logger).map { .http1_1($0) }
                }, negotiated: negotiated)
            try channel.pipeline.syncOperations.addHandler(detection)
            return Value(negotiated: negotiated.futureResult, channel: channel)
        }
    }

    private func setUpHTTP2(
        _ channel: any Channel, logger: Logger
    ) -> EventLoopFuture<HTTP2Channel.Value> {
        http2.setup(channel: channel, logger: logger).flatMapThrowing { value in
            try channel.pipeline.syncOperations.addHandler(
                ShutdownTimeoutHandler(seconds: GRPCListener.graceSeconds), position: .first)
            return value
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.negotiated.get() {
            case .http1_1(let connection): await http1.handle(value: connection, logger: logger)
            case .http2(let connection): await http2.handle(value: connection, logger: logger)
            }
        } catch { logger.debug("connection ended before a request: \(error)") }
    }
}
