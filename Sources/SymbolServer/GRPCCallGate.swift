import Decompression
import GRPCCore
import NIOCore
import NIOHPACK
import NIOHTTP2

/// Admits a call by its headers, gathers its message within bounds, and sees to it that the stream ends.
///
/// It is in front of the library, which sees neither a call that is refused nor a part of a message.
/// A refused call gets its status at once, even while the client still sends; then the stream is reset.
/// Clients take a stream that is reset before it has a status for one worth repeating.
final class GRPCCallGate: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private enum State {
        case waiting
        case gathering(GRPCMessageArrival)
        /// The library has the whole call.
        case handedOn
        /// What still comes from either side is dropped.
        case refused
    }

    private let limits: GRPCCallLimits
    private var state = State.waiting
    /// Whether the client has sent all that it sends.
    private var isWhole = false
    private var isCounted = false
    /// Of the room for bodies, in bytes.
    private var taken = 0
    private var timer: Scheduled<Void>?

    /// A client that has its answer ends the stream by itself within this time, in seconds. To reset it
    /// at once would cost the connection where the client still has much on its way: of streams that
    /// were reset only the last few are known.
    static let lingeringSeconds: Int64 = 1

    init(_ limits: GRPCCallLimits) { self.limits = limits }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            isWhole = isWhole || frame.endStream
            receive(frame, context)
        case .data(let frame):
            isWhole = isWhole || frame.endStream
            if case .byteBuffer(let bytes) = frame.data { receive(bytes, context) }
        default: context.fireChannelRead(data)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .refused = state {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.write(data, promise: promise)
        if case .headers(let frame) = unwrapOutboundIn(data), frame.endStream { settle(context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        release()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { release() }

    private func release() {
        timer?.cancel()
        timer = nil
        giveRoomBack()
        if isCounted { limits.calls.close() }
        isCounted = false
    }

    private func giveRoomBack() {
        limits.room.giveBack(taken)
        taken = 0
    }
}

extension GRPCCallGate {
    private func receive(
        _ frame: HTTP2Frame.FramePayload.Headers, _ context: ChannelHandlerContext
    ) {
        guard case .waiting = state else { return receive(ByteBuffer(), context) }
        do {
            state = .gathering(try admit(frame.headers, context))
        } catch { return refuse(error, context) }
        var headers = frame.headers
        headers.remove(name: Self.encodingKey)
        schedule(in: limits.seconds, context) { gate in
            guard case .gathering = gate.state else { return }
            gate.refuse(RequestError(RequestArrival.Failure.late(gate.limits.seconds)), context)
        }
        // The library overlooks the end of a stream in its headers, and would wait for a message. A
        // call that is whole without one ends with empty data, and is the library's to judge.
        context.fireChannelRead(wrapInboundOut(.headers(.init(headers: headers))))
        if isWhole { receive(ByteBuffer(), context) }
    }

    private func admit(
        _ headers: HPACKHeaders, _ context: ChannelHandlerContext
    ) throws -> GRPCMessageArrival {
        let path = headers.first(name: ":path") ?? ""
        let address = context.channel.remoteAddress?.ipAddress ?? ""
        let bytesLimit = try limits.admit(path: path, Metadata(headers), from: address)
        try limits.calls.open()
        isCounted = true
        return GRPCMessageArrival(bytesLimit: bytesLimit, coding: try coding(headers))
    }

    private func coding(_ headers: HPACKHeaders) throws -> ContentCoding? {
        guard let name = headers.first(name: Self.encodingKey), name.lowercased() != "identity"
        else { return nil }
        guard let coding = ContentCoding(name: name) else {
            let names = GRPCMessage.codings.map(\.rawValue).joined(separator: ",")
            throw RPCError(
                code: .unimplemented,
                message: "grpc-encoding: '\(name)' is not known: send \(names) or identity",
                metadata: ["grpc-accept-encoding": "\(names),identity"])
        }
        return coding
    }

    private static let encodingKey = "grpc-encoding"

    private func receive(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard case .gathering(var arrival) = state else { return }
        // So that the bytes are not copied when more are added to them.
        state = .refused
        do {
            try limits.room.take(bytes.readableBytes)
            taken += bytes.readableBytes
            try arrival.add(bytes)
            state = .gathering(arrival)
            guard isWhole else { return }
            let message = try arrival.end() ?? ByteBuffer()
            state = .handedOn
            context.fireChannelRead(
                wrapInboundOut(.data(.init(data: .byteBuffer(message), endStream: true))))
        } catch { refuse(error, context) }
    }
}

extension GRPCCallGate {
    private func refuse(_ error: any Error, _ context: ChannelHandlerContext) {
        state = .refused
        giveRoomBack()
        let cause = (error as? any RPCErrorConvertible) ?? RequestError(error)
        let trailers = HPACKHeaders(refusing: cause)
        context.writeAndFlush(
            wrapOutboundOut(.headers(.init(headers: trailers, endStream: true))), promise: nil)
        settle(context)
    }

    /// Ends a stream that has its answer. If the client has sent all, the stream ends when the answer is
    /// read.
    private func settle(_ context: ChannelHandlerContext) {
        if isWhole {
            schedule(in: limits.seconds, context) { _ in context.close(promise: nil) }
        } else {
            state = .refused
            giveRoomBack()
            schedule(in: Self.lingeringSeconds, context) { gate in
                context.writeAndFlush(gate.wrapOutboundOut(.rstStream(.noError)), promise: nil)
            }
        }
    }

    private func schedule(
        in seconds: Int64, _ context: ChannelHandlerContext,
        _ task: @escaping (GRPCCallGate) -> Void
    ) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(seconds)) {
            [weak self] in if let self { task(self) }
        }
    }
}

extension Metadata {
    /// The headers of a call whose values are texts.
    fileprivate init(_ headers: HPACKHeaders) {
        self.init()
        for (name, value, _) in headers where !name.hasPrefix(":") && !name.hasSuffix("-bin") {
            addString(value, forKey: name)
        }
    }
}
