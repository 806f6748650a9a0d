import NIOCore

/// Closes a gRPC connection if no byte arrives, or no call is open, for too long.
///
/// The library sends GOAWAY to an idle client and then waits for its response, which may never
/// come.
final class GRPCIdleTimeoutHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let silence: TimeAmount
    private let idle: TimeAmount
    private var lastRead = NIODeadline.now()
    private var idleSince = NIODeadline.now()
    private var callCount = 0
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - silence: The longest time without a byte from the client.
    ///   - idle: The longest time without an open call.
    init(silence: TimeAmount, idle: TimeAmount) {
        self.silence = silence
        self.idle = idle
    }

    /// Counts a call as open until its stream is closed.
    static func track(callOn stream: any Channel) throws {
        guard let connection = stream.parent else { return }
        let handler = try connection.pipeline.syncOperations.handler(type: Self.self)
        handler.callCount += 1
        stream.closeFuture.assumeIsolated().whenComplete { _ in
            handler.callCount -= 1
            handler.idleSince = .now()
        }
    }

    func handlerAdded(context: ChannelHandlerContext) { schedule(context) }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastRead = .now()
        context.fireChannelRead(data)
    }

    private var deadline: NIODeadline {
        callCount == 0 ? min(lastRead + silence, idleSince + idle) : lastRead + silence
    }

    private func schedule(_ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            if self.deadline <= .now() {
                context.close(promise: nil)
            } else {
                self.schedule(context)
            }
        }
    }
}
