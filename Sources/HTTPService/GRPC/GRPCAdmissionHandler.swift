import Decompression
import GRPCCore
import NIOCore
import NIOHPACK
import NIOHTTP2

/// Admits a call by its headers, buffers its message within limits, and makes sure that the stream
/// ends.
///
/// It runs before the library's handlers, which see neither refused calls nor incomplete messages.
/// A refused call gets its status at once, even while the client is still sending, and then the
/// stream is reset. If the stream were reset before it has a status, clients would retry the call.
final class GRPCAdmissionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private enum State {
        case waiting
        case receiving(GRPCMessageAccumulator)
        /// The library has the complete call.
        case forwarded
        /// The call was refused. Anything else that either side sends is dropped.
        case refused
    }

    private let limits: GRPCCallLimits
    private let isReserved: Bool
    private var allowance: GRPCCallLimits.Allowance?
    private var state = State.waiting
    /// Whether the client has ended its side of the stream.
    private var isComplete = false
    /// Bytes reserved in the memory budget.
    private var reservedBytes = 0
    private var timer: Scheduled<Void>?

    /// The time that a client has to end the stream after the response, in seconds.
    ///
    /// If the client still has much data in flight, resetting the stream at once could break the
    /// whole connection, because only the most recently reset streams are remembered.
    static let lingeringSeconds: Int64 = 1

    /// - Parameter isReserved: Whether the connection is reserved for health checks.
    init(_ limits: GRPCCallLimits, isReserved: Bool) {
        self.limits = limits
        self.isReserved = isReserved
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            isComplete = isComplete || frame.endStream
            receive(frame, context: context)
        case .data(let frame):
            isComplete = isComplete || frame.endStream
            if case .byteBuffer(let bytes) = frame.data { receive(bytes, context: context) }
        default: context.fireChannelRead(data)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .refused = state {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.write(data, promise: promise)
        if case .headers(let frame) = unwrapOutboundIn(data), frame.endStream { endStream(context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        release()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { release() }

    private func release() {
        timer?.cancel()
        timer = nil
        releaseMemory()
        allowance?.calls.release()
        allowance = nil
    }

    private func releaseMemory() {
        allowance?.memory.release(reservedBytes)
        reservedBytes = 0
    }
}

extension GRPCAdmissionHandler {
    private func receive(
        _ frame: HTTP2Frame.FramePayload.Headers, context: ChannelHandlerContext
    ) {
        guard case .waiting = state else { return receive(ByteBuffer(), context: context) }
        do {
            state = .receiving(try admit(frame.headers, context: context))
        } catch { return refuse(error, context: context) }
        var headers = frame.headers
        headers.remove(name: Self.encodingKey)
        schedule(in: limits.seconds, context: context) { handler in
            guard case .receiving = handler.state else { return }
            let failure = RequestTimeoutHandler.Failure.timedOut(seconds: handler.limits.seconds)
            handler.refuse(RequestError(failure), context: context)
        }
        // The library ignores the end of a stream in its headers, and would wait for a message. A
        // call that is complete without one is forwarded with empty data, for the library to
        // reject.
        context.fireChannelRead(wrapInboundOut(.headers(.init(headers: headers))))
        if isComplete { receive(ByteBuffer(), context: context) }
    }

    private func admit(
        _ headers: HPACKHeaders, context: ChannelHandlerContext
    ) throws -> GRPCMessageAccumulator {
        let path = headers.first(name: ":path") ?? ""
        let address = context.channel.remoteAddress?.ipAddress ?? ""
        let allowance = try limits.admit(
            path: path, Metadata(headers), from: address, isReserved: isReserved)
        try allowance.calls.acquire()
        self.allowance = allowance
        return GRPCMessageAccumulator(limit: allowance.messageLimit, coding: try coding(headers))
    }

    private func coding(_ headers: HPACKHeaders) throws -> ContentCoding? {
        guard let name = headers.first(name: Self.encodingKey), name.lowercased() != "identity"
        else { return nil }
        guard let coding = ContentCoding(name: name) else {
            let names = GRPCMessage.codings.map(\.rawValue).joined(separator: ",")
            throw RPCError(
                code: .unimplemented,
                message: "grpc-encoding: '\(name)' is not supported: use \(names) or identity",
                metadata: ["grpc-accept-encoding": "\(names),identity"])
        }
        return coding
    }

    private static let encodingKey = "grpc-encoding"

    private func receive(_ bytes: ByteBuffer, context: ChannelHandlerContext) {
        guard case .receiving(var accumulator) = state else { return }
        // Clears the state first, so that the buffer is uniquely referenced and appending does not
        // copy it.
        state = .refused
        do {
            try allowance?.memory.reserve(bytes.readableBytes)
            reservedBytes += bytes.readableBytes
            try accumulator.append(bytes)
            state = .receiving(accumulator)
            guard isComplete else { return }
            let message = try accumulator.finish() ?? ByteBuffer()
            state = .forwarded
            context.fireChannelRead(
                wrapInboundOut(.data(.init(data: .byteBuffer(message), endStream: true))))
        } catch { refuse(error, context: context) }
    }
}

extension GRPCAdmissionHandler {
    private func refuse(_ error: any Error, context: ChannelHandlerContext) {
        state = .refused
        releaseMemory()
        let cause = (error as? any RPCErrorConvertible) ?? RequestError(error)
        let trailers = HPACKHeaders(refusing: cause)
        context.writeAndFlush(
            wrapOutboundOut(.headers(.init(headers: trailers, endStream: true))), promise: nil)
        endStream(context)
    }

    /// Ends a stream whose response is written. If the client has ended its side, the stream ends
    /// when the response is read.
    private func endStream(_ context: ChannelHandlerContext) {
        if isComplete {
            schedule(in: limits.seconds, context: context) { _ in context.close(promise: nil) }
        } else {
            state = .refused
            releaseMemory()
            schedule(in: Self.lingeringSeconds, context: context) { handler in
                context.writeAndFlush(handler.wrapOutboundOut(.rstStream(.noError)), promise: nil)
            }
        }
    }

    private func schedule(
        in seconds: Int64, context: ChannelHandlerContext,
        _ task: @escaping (GRPCAdmissionHandler) -> Void
    ) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(seconds)) {
            [weak self] in if let self { task(self) }
        }
    }
}

extension Metadata {
    /// The headers of a call that have text values.
    fileprivate init(_ headers: HPACKHeaders) {
        self.init()
        for (name, value, _) in headers where !name.hasPrefix(":") && !name.hasSuffix("-bin") {
            addString(value, forKey: name)
        }
    }
}
