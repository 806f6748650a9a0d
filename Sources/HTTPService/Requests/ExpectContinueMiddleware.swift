import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// Sends `100 Continue` to clients that expect it (RFC 9110, section 10.1.1) when the body is first
/// read, so that a request that is refused because of its headers gets the error response instead.
struct ExpectContinueMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: HTTPRequestContext,
        next: (Request, HTTPRequestContext) async throws -> Response
    ) async throws -> Response {
        guard request.headers[.expect]?.lowercased() == "100-continue"
        else { return try await next(request, context) }
        var request = request
        request.body = RequestBody(
            asyncSequence: DeferredBody(body: request.body, channel: context.channel))
        return try await next(request, context)
    }
}

/// A body that the client sends after `100 Continue`.
private struct DeferredBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let body: RequestBody
    let channel: any Channel

    func makeAsyncIterator() -> Iterator {
        Iterator(body: body.makeAsyncIterator(), channel: channel)
    }

    struct Iterator: AsyncIteratorProtocol {
        var body: RequestBody.AsyncIterator
        /// The connection, or `nil` once `100 Continue` has been sent.
        var channel: (any Channel)?

        mutating func next() async throws -> ByteBuffer? {
            channel?.triggerUserOutboundEvent(ContinueResponseHandler.Request(), promise: nil)
            channel = nil
            return try await body.next()
        }
    }
}

/// Writes `100 Continue` on request. Other handlers do not see it, because to them it would be a
/// response.
final class ContinueResponseHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    struct Request: Sendable {}

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is Request else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        context.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: promise)
    }
}
