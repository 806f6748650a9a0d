import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Adds `X-Content-Type-Options: nosniff` to every response, so that browsers use its declared
/// type.
final class NoSniffHandler: ChannelOutboundHandler, RemovableChannelHandler, Sendable {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // Interim responses have no content.
        guard case .head(var head) = unwrapOutboundIn(data), head.status.kind != .informational
        else {
            return context.write(data, promise: promise)
        }
        head.headerFields[.xContentTypeOptions] = "nosniff"
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
