import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import Problems

/// Adds the error to the response to a request that is not HTTP. The server, which writes this
/// response before any route is known, leaves its body empty.
final class SyntaxErrorHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var failure: RequestError?

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError { failure = Self.failure(error) }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // A route that was reading a body has already responded with its own error.
        guard let failure, case .head(var head) = unwrapOutboundIn(data),
            head.status == .badRequest, head.headerFields[.contentLength] == "0",
            let body = try? Self.body(of: failure)
        else { return context.write(data, promise: promise) }
        self.failure = nil
        head.status = failure.status
        head.headerFields[.contentType] = "application/json"
        head.headerFields[.contentLength] = "\(body.readableBytes)"
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: promise)
    }

    private static func failure(_ error: HTTPParserError) -> RequestError {
        guard case .headerOverflow = error else {
            return .badRequest("not_http", Problem("request", detail: "not valid HTTP"))
        }
        return RequestError(
            .requestHeaderFieldsTooLarge, "headers_too_large",
            Problem(
                "request", detail: "line or headers too long", suggestion: "send shorter ones"))
    }

    private static func body(of failure: RequestError) throws -> ByteBuffer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return ByteBuffer(bytes: try encoder.encode(ErrorBody(failure)))
    }
}
