import NIOCore
import NIOHTTPTypes

/// Reports the start and end of requests on one connection or HTTP/2 stream to
/// ``ConnectionRegistry``.
final class ConnectionActivityHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: ConnectionRegistry
    private var requestCount = 0

    init(_ connections: ConnectionRegistry) { self.connections = connections }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) {
            requestCount += 1
            connections.begin(context.channel)
        }
        context.fireChannelRead(data)
    }

    /// Closes a reserved connection after its first response.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        end(context)
        guard connections.isReserved(context.channel) else {
            return context.write(data, promise: promise)
        }
        let channel = context.channel
        context.writeAndFlush(data).whenComplete { _ in channel.close(promise: nil) }
        promise?.succeed()
    }

    /// Ends open requests, because a stream can end without a response.
    func channelInactive(context: ChannelHandlerContext) {
        while requestCount > 0 { end(context) }
        context.fireChannelInactive()
    }

    private func end(_ context: ChannelHandlerContext) {
        guard requestCount > 0 else { return }
        requestCount -= 1
        connections.end(context.channel)
    }
}
