import Decompression
import GRPCCore
import NIOCore

/// Gathers the one message of a call, whose length is known before its bytes arrive
/// (gRPC over HTTP/2, "Length-Prefixed-Message").
struct GRPCMessageArrival {
    private let bytesLimit: Int
    private let coding: ContentCoding?
    private var prefix: [UInt8] = []
    /// In bytes, as the prefix says.
    private var messageCount: Int?
    private var message = ByteBuffer()

    private static let prefixLength = 5

    /// - Parameters:
    ///   - bytesLimit: The largest message, in bytes.
    ///   - coding: What `grpc-encoding` says.
    init(bytesLimit: Int, coding: ContentCoding?) {
        // A byte is added to the message, and its length still has to fit in 32 bits.
        self.bytesLimit = min(bytesLimit, Int(UInt32.max) - 1)
        self.coding = coding
    }

    /// Takes the next bytes of the call.
    mutating func add(_ bytes: ByteBuffer) throws {
        var bytes = bytes
        while messageCount == nil, let byte = bytes.readInteger(as: UInt8.self) {
            prefix.append(byte)
            if prefix.count == Self.prefixLength { try begin() }
        }
        guard let messageCount, bytes.readableBytes > 0 else { return }
        guard bytes.readableBytes <= messageCount - receivedCount else {
            throw RPCError(
                code: .unimplemented, message: "request: holds several messages: send one a call")
        }
        message.writeBuffer(&bytes)
    }

    /// The message as the library reads it, with the mark of its coding; `nil` if none was sent.
    ///
    /// - Throws: An `RPCError` if the message is truncated.
    func end() throws -> ByteBuffer? {
        if prefix.isEmpty { return nil }
        guard messageCount == receivedCount else {
            throw RPCError(
                code: .invalidArgument, message: "request: is truncated: send the whole message")
        }
        return message
    }

    private var receivedCount: Int { message.readableBytes - Self.prefixLength - 1 }

    private mutating func begin() throws {
        let count = prefix.dropFirst().reduce(0) { $0 << 8 | Int($1) }
        guard prefix[0] <= 1 else {
            throw RPCError(
                code: .invalidArgument, message: "request: is not a gRPC message: check the client")
        }
        guard count <= bytesLimit else { throw RequestError.tooLarge("request", limit: bytesLimit) }
        guard prefix[0] == 0 || coding != nil else {
            throw RPCError(
                code: .internalError,
                message: "request: is compressed without 'grpc-encoding': check the client")
        }
        messageCount = count
        message.writeInteger(0 as UInt8)
        message.writeInteger(UInt32(count + 1))
        message.writeInteger(GRPCMessage.mark(of: prefix[0] == 0 ? nil : coding))
    }
}
