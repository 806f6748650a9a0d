import Decompression
import GRPCCore
import NIOCore

/// Buffers the single message of a call, whose prefix declares its length (gRPC over HTTP/2,
/// "Length-Prefixed-Message").
struct GRPCMessageAccumulator {
    private let limit: Int
    private let coding: ContentCoding?
    private var prefix: [UInt8] = []
    /// The declared length of the message, in bytes, or `nil` before the prefix is complete.
    private var messageCount: Int?
    private var message = ByteBuffer()

    private static let prefixLength = 5

    /// - Parameters:
    ///   - limit: The maximum size of a message, in bytes.
    ///   - coding: The value of `grpc-encoding`, or `nil` for `identity`.
    init(limit: Int, coding: ContentCoding?) {
        // One byte is added to the message, and its length must still fit in 32 bits.
        self.limit = min(limit, Int(UInt32.max) - 1)
        self.coding = coding
    }

    /// Appends received bytes.
    mutating func append(_ bytes: ByteBuffer) throws {
        var bytes = bytes
        while messageCount == nil, let byte = bytes.readInteger(as: UInt8.self) {
            prefix.append(byte)
            if prefix.count == Self.prefixLength { try begin() }
        }
        guard let messageCount, bytes.readableBytes > 0 else { return }
        guard bytes.readableBytes <= messageCount - receivedCount else {
            throw RPCError(
                code: .unimplemented,
                message: "request: contains several messages: send one message per call")
        }
        message.writeBuffer(&bytes)
    }

    /// Returns the message in the library's form, prefixed with its coding, or `nil` if none was
    /// sent.
    ///
    /// - Throws: An `RPCError` if the message is truncated.
    func finish() throws -> ByteBuffer? {
        if prefix.isEmpty { return nil }
        guard messageCount == receivedCount else {
            throw RPCError(
                code: .invalidArgument, message: "request: truncated: send the whole message")
        }
        return message
    }

    private var receivedCount: Int { message.readableBytes - Self.prefixLength - 1 }

    private mutating func begin() throws {
        let count = prefix.dropFirst().reduce(0) { $0 << 8 | Int($1) }
        guard prefix[0] <= 1 else {
            throw RPCError(
                code: .invalidArgument, message: "request: not a gRPC message: check the client")
        }
        guard count <= limit else { throw RequestError.tooLarge("request", limit: limit) }
        guard prefix[0] == 0 || coding != nil else {
            throw RPCError(
                code: .internalError,
                message: "request: compressed without 'grpc-encoding': check the client")
        }
        messageCount = count
        message.writeInteger(0 as UInt8)
        message.writeInteger(UInt32(count + 1))
        message.writeInteger(GRPCMessage.prefix(for: prefix[0] == 0 ? nil : coding))
    }
}
