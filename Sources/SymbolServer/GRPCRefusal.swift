import GRPCCore
import NIOCore
import NIOHPACK
import NIOHTTP2

/// Tells a client why its call ends where the library, on a message that is too large or no message
/// at all, would close the stream without a word. Clients take that for a server that is away, and
/// send the same again.
///
/// One stands at each end of a stream's handlers: errors go by the last one, and then the closing of
/// the stream by the first one.
final class GRPCRefusal {
    private let bytesLimit: Int
    /// The first bytes of the call's message: whether it is compressed, and how long it is.
    private var prefix: [UInt8] = []
    private var hasFailed = false
    private var hasAnswered = false

    private static let prefixLength = 5

    private init(bytesLimit: Int) { self.bytesLimit = bytesLimit }

    /// - Parameter bytesLimit: What messages are limited to, in bytes.
    static func add(to stream: any Channel, bytesLimit: Int) throws {
        let refusal = GRPCRefusal(bytesLimit: bytesLimit)
        let pipeline = stream.pipeline.syncOperations
        try pipeline.addHandler(Writer(refusal: refusal), position: .first)
        try pipeline.addHandler(Listener(refusal: refusal), position: .last)
    }

    private func read(_ buffer: ByteBuffer) {
        let missing = Self.prefixLength - prefix.count
        if missing > 0 { prefix += buffer.readableBytesView.prefix(missing) }
    }

    /// What is wrong with the message. The library does not say, but where it failed to read one that
    /// is compressed and is not too long, it failed to inflate it.
    private var problem: (code: RPCError.Code, message: String) {
        let count = prefix.dropFirst().reduce(0) { $0 << 8 | Int($1) }
        if count > bytesLimit {
            return (.resourceExhausted, "is larger than \(bytesLimit) bytes, the limit: send less")
        }
        if prefix.first == 1 {
            return (
                .resourceExhausted,
                "is damaged or inflates to more than \(bytesLimit) bytes, the limit: send less"
            )
        }
        return (.invalidArgument, "is no message of gRPC: check the client")
    }

    /// An answer that is nothing but its trailers (gRPC over HTTP/2, "Responses").
    private var trailers: HPACKHeaders {
        [
            ":status": "200", "content-type": "application/grpc",
            "grpc-status": "\(problem.code.rawValue)",
            "grpc-message": "request: \(problem.message)",
        ]
    }

    private final class Writer: ChannelDuplexHandler {
        typealias InboundIn = HTTP2Frame.FramePayload
        typealias InboundOut = HTTP2Frame.FramePayload
        typealias OutboundIn = HTTP2Frame.FramePayload
        typealias OutboundOut = HTTP2Frame.FramePayload

        let refusal: GRPCRefusal

        init(refusal: GRPCRefusal) { self.refusal = refusal }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .data(let frame) = unwrapInboundIn(data),
                case .byteBuffer(let bytes) = frame.data
            {
                refusal.read(bytes)
            }
            context.fireChannelRead(data)
        }

        func write(
            context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
        ) {
            if case .headers = unwrapOutboundIn(data) { refusal.hasAnswered = true }
            context.write(data, promise: promise)
        }

        func close(
            context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
        ) {
            if refusal.hasFailed, !refusal.hasAnswered {
                refusal.hasAnswered = true
                let headers = HTTP2Frame.FramePayload.Headers(
                    headers: refusal.trailers, endStream: true)
                context.writeAndFlush(wrapOutboundOut(.headers(headers)), promise: nil)
            }
            context.close(mode: mode, promise: promise)
        }
    }

    private final class Listener: ChannelInboundHandler {
        typealias InboundIn = Never

        let refusal: GRPCRefusal

        init(refusal: GRPCRefusal) { self.refusal = refusal }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if error is RPCError { refusal.hasFailed = true }
            context.fireErrorCaught(error)
        }
    }
}
