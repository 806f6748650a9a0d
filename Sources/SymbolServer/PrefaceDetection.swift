import NIOCore

/// Holds the first bytes of a connection back until they tell HTTP/2 from HTTP/1, and then makes way for
/// the handlers of that version.
final class PrefaceDetection<Negotiated: Sendable>: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let time: TimeAmount
    private let setUp: @Sendable (_ isHTTP2: Bool) -> EventLoopFuture<Negotiated>
    private let negotiated: EventLoopPromise<Negotiated>
    private var bytes = ByteBuffer()
    private var isDecided = false
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - seconds: How long the client may take.
    ///   - setUp: Adds the handlers of a version.
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

    /// A service that stops waits for no request.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if !isDecided, event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}

enum HTTP2Preface {
    private static let bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Whether a connection begins with the preface; `nil` as long as it may be either.
    static func begins(_ start: ByteBufferView) -> Bool? {
        guard start.starts(with: bytes.prefix(start.count)) || start.starts(with: bytes)
        else { return false }
        return start.count >= bytes.count ? true : nil
    }
}
