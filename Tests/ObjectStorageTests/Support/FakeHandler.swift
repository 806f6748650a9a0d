import NIOCore
import NIOHTTP1

/// Collects the requests of a connection, and carries out the replies.
final class FakeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let reply: (FakeServer.Request) -> FakeServer.Reply
    private var request: FakeServer.Request?

    init(_ reply: @escaping (FakeServer.Request) -> FakeServer.Reply) { self.reply = reply }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = .init(
                method: head.method.rawValue, uri: head.uri, headers: head.headers, body: [])
        case .body(let bytes): request?.body += bytes.readableBytesView
        case .end:
            guard let request else { return }
            send(reply(request), to: request, context)
        }
    }

    private func send(
        _ reply: FakeServer.Reply, to request: FakeServer.Request, _ context: ChannelHandlerContext
    ) {
        switch reply {
        case .respond(let status, let headers, let body):
            // The response to a HEAD request announces the body that it leaves out.
            let sent = request.method == "HEAD" ? [] : body
            sendHead(status, headers, length: body.count, context)
            sendBody(sent[...], context)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .cut(let status, let headers, let body, let count):
            sendHead(status, headers, length: body.count, context)
            sendBody(body.prefix(count), context)
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))))
                .whenComplete { _ in bound.value.close(promise: nil) }
        case .hangUp: context.close(promise: nil)
        case .silence: break
        case .drip(let status):
            sendHead(status, [:], length: nil, context)
            sendMore(bytes: 1, pause: .milliseconds(100), context)
        case .endless(let status):
            sendHead(status, [:], length: nil, context)
            sendMore(bytes: 64 << 10, pause: .zero, context)
        }
    }

    private func sendHead(
        _ status: Int, _ headers: [String: String], length: Int?, _ context: ChannelHandlerContext
    ) {
        var fields = HTTPHeaders(headers.map { ($0.key, $0.value) })
        if let length {
            fields.replaceOrAdd(name: "content-length", value: "\(length)")
        } else {
            fields.replaceOrAdd(name: "transfer-encoding", value: "chunked")
        }
        let head = HTTPResponseHead(
            version: .http1_1, status: .init(statusCode: status), headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func sendBody(_ bytes: ArraySlice<UInt8>, _ context: ChannelHandlerContext) {
        guard !bytes.isEmpty else { return }
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
    }

    /// Sends spaces until the client closes the connection.
    private func sendMore(bytes count: Int, pause: TimeAmount, _ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let space = ByteBuffer(repeating: 0x20, count: count)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(space)))).whenSuccess {
            bound.value.1.eventLoop.scheduleTask(in: pause) {
                let (handler, context) = bound.value
                handler.sendMore(bytes: count, pause: pause, context)
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
