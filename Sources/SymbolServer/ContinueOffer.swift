import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// Tells clients that wait for it to send the body (RFC 9110, section 10.1.1): when the body is read, so
/// that a request that is refused by its head gets the refusal instead.
struct ContinueOffer: RouterMiddleware {
    func handle(
        _ request: Request, context: CallerContext,
        next: (Request, CallerContext) async throws -> Response
    ) async throws -> Response {
        guard request.headers[.expect]?.lowercased() == "100-continue"
        else { return try await next(request, context) }
        var request = request
        request.body = RequestBody(
            asyncSequence: AwaitedBody(body: request.body, channel: context.channel))
        return try await next(request, context)
    }
}

/// A body that the client sends when it is told to.
private struct AwaitedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let body: RequestBody
    let channel: any Channel

    func makeAsyncIterator() -> Iterator {
        Iterator(body: body.makeAsyncIterator(), channel: channel)
    }

    struct Iterator: AsyncIteratorProtocol {
        var body: RequestBody.AsyncIterator
        /// `nil` as soon as the client has been told.
        var channel: (any Channel)?

        mutating func next() async throws -> ByteBuffer? {
            channel?.triggerUserOutboundEvent(ContinueAnswer.Wanted(), promise: nil)
            channel = nil
            return try await body.next()
        }
    }
}

/// Writes `100 Continue` when it is wanted, which is no answer to the handlers before it.
final class ContinueAnswer: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    struct Wanted: Sendable {}

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is Wanted else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        context.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: promise)
    }
}
