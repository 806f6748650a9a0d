import NIOCore
import NIOHTTPTypes

/// Tells ``Connections`` when a request begins and ends on one connection, or one stream of HTTP/2.
final class ConnectionUse: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: Connections
    private var requestCount = 0

    init(_ connections: Connections) { self.connections = connections }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) {
            requestCount += 1
            connections.begin(context.channel)
        }
        context.fireChannelRead(data)
    }

    /// A connection beyond the limit is closed behind its one answer.
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

    /// A stream may end without an answer.
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
