import NIOCore
import NIOPosix

/// A TCP server that sends the start of a response, and then keeps the connection open.
enum StallingReceiver {
    /// Runs the server as long as `use` takes, which is given its port.
    ///
    /// - Parameters:
    ///   - start: The first bytes of the response, or nothing.
    ///   - repeated: Bytes that are sent over and over after the first ones, or nothing.
    static func run<Result: Sendable>(
        start: String = "", repeated: String = "",
        use: @escaping @Sendable (Int) async throws -> Result
    ) async throws -> Result {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Handler(start: start, repeated: repeated))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await use(server.localAddress?.port ?? 0)) } catch {
            result = .failure(error)
        }
        try await server.close()
        return try result.get()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let start: String
        private let repeated: String
        private var hasStarted = false
        private var repetition: RepeatedTask?

        init(start: String, repeated: String) {
            self.start = start
            self.repeated = repeated
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !hasStarted, !start.isEmpty else { return }
            hasStarted = true
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: start)), promise: nil)
            guard !repeated.isEmpty else { return }
            let channel = context.channel
            let bytes = ByteBuffer(string: repeated)
            repetition = context.eventLoop.scheduleRepeatedTask(
                initialDelay: .milliseconds(20), delay: .milliseconds(20)
            ) { _ in channel.writeAndFlush(bytes, promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) { repetition?.cancel() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
