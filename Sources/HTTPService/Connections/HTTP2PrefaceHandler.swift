import NIOCore

/// Buffers the first bytes of a connection until they show whether it is HTTP/2 or HTTP/1, and then
/// replaces itself with the handlers of that version.
final class HTTP2PrefaceHandler<Negotiated: Sendable>: ChannelInboundHandler,
    RemovableChannelHandler
{
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let time: TimeAmount
    private let setUp: @Sendable (_ isHTTP2: Bool) -> EventLoopFuture<Negotiated>
    private let negotiated: EventLoopPromise<Negotiated>
    private var bytes = ByteBuffer()
    private var isDecided = false
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - seconds: The timeout for these bytes.
    ///   - setUp: Adds the handlers of the detected version.
    init(
        seconds: Int64, setUp: @escaping @Sendable (_ isHTTP2: Bool) -> EventLoopFuture<Negotiated>,
        negotiated: EventLoopPromise<Negotiated>
    ) {
        time = .seconds(seconds)
        self.setUp = setUp
        self.negotiated = negotiated
    }

    func handlerAdded(context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            context.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        if !isDecided { negotiated.fail(ChannelError.eof) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes.writeImmutableBuffer(unwrapInboundIn(data))
        guard !isDecided, let isHTTP2 = HTTP2Preface.begins(bytes.readableBytesView) else { return }
        isDecided = true
        setUp(isHTTP2).assumeIsolated().whenComplete { result in
            self.negotiated.completeWith(result)
            context.fireChannelRead(self.wrapInboundOut(self.bytes))
            context.fireChannelReadComplete()
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
    }

    /// Closes the connection at shutdown if no request has started.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if !isDecided, event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}

enum HTTP2Preface {
    private static let bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Returns whether a connection starts with the preface, or `nil` if more bytes are needed.
    static func begins(_ start: ByteBufferView) -> Bool? {
        guard start.starts(with: bytes.prefix(start.count)) || start.starts(with: bytes)
        else { return false }
        return start.count >= bytes.count ? true : nil
    }
}
