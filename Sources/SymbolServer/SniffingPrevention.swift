import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Has browsers take every response for the type that it says it is.
final class SniffingPrevention: ChannelOutboundHandler, RemovableChannelHandler, Sendable {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // An interim response has nothing to show.
        guard case .head(var head) = unwrapOutboundIn(data), head.status.kind != .informational
        else {
            return context.write(data, promise: promise)
        }
        head.headerFields[.xContentTypeOptions] = "nosniff"
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
