import NIOCore
import NIOPosix
import NIOSSL

/// A connection on which a test can send arbitrary bytes, open as long as the value exists.
final class RawConnection: Sendable {
    private let channel: any Channel
    private let received: AsyncStream<ByteBuffer>

    private init(channel: any Channel, received: AsyncStream<ByteBuffer>) {
        self.channel = channel
        self.received = received
    }

    // The channel itself stays open when the server closes its side, because half of it may remain
    // in use.
    deinit { channel.close(promise: nil) }

    /// - Parameter tls: The TLS context, or `nil` for plaintext.
    static func open(port: Int, tls: NIOSSLContext? = nil) async throws -> RawConnection {
        let (received, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: nil))
                    }
                    try channel.pipeline.syncOperations.addHandler(Receiver(continuation))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return RawConnection(channel: channel, received: received)
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    func closeOutput() async throws { try await channel.close(mode: .output) }

    func close() async throws { try await channel.close() }

    /// Returns the bytes from the server until the connection ends or `isEnough` returns `true`.
    func rest(until isEnough: (String) -> Bool = { _ in false }) async throws -> String {
        var all = ""
        while let bytes = await next() {
            all += String(decoding: bytes, as: UTF8.self)
            if isEnough(all) { break }
        }
        return all
    }

    /// Returns the next bytes from the server, or `nil` at the end of the connection.
    func next() async -> [UInt8]? {
        for await buffer in received { return Array(buffer.readableBytesView) }
        return nil
    }
}

private final class Receiver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let continuation: AsyncStream<ByteBuffer>.Continuation

    init(_ continuation: AsyncStream<ByteBuffer>.Continuation) { self.continuation = continuation }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        continuation.yield(unwrapInboundIn(data))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { continuation.finish() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { continuation.finish() }

    func channelInactive(context: ChannelHandlerContext) { continuation.finish() }
}
