import Decompression
import GRPCCore
import NIOCore
import TestSupport
import Testing

@testable import HTTPService

@Suite("The gRPC message accumulator", .ownThreads)
struct GRPCMessageAccumulatorTests {
    private func receive(
        _ pieces: [[UInt8]], limit: Int = 1_000, coding: ContentCoding? = nil
    ) throws -> GRPCMessage? {
        var accumulator = GRPCMessageAccumulator(limit: limit, coding: coding)
        for piece in pieces { try accumulator.append(ByteBuffer(bytes: piece)) }
        guard var message = try accumulator.finish() else { return nil }
        #expect(message.readInteger(as: UInt8.self) == 0)
        #expect(message.readInteger(as: UInt32.self).map(Int.init) == message.readableBytes)
        return try GRPCMessageDeserializer().deserialize(Array(message.readableBytesView))
    }

    /// The code of the error for some bytes.
    private func code(
        _ bytes: [UInt8], limit: Int = 1_000, coding: ContentCoding? = nil
    ) -> RPCError.Code? {
        do {
            _ = try receive([bytes], limit: limit, coding: coding)
            return nil
        } catch {
            let error = error as? any RPCErrorConvertible
            expectSentence(error?.rpcErrorMessage ?? "")
            return error?.rpcErrorCode
        }
    }

    @Test("a message in pieces of any size is reassembled", arguments: UInt64(0)..<50)
    func pieces(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let content = (0..<Int.random(in: 0...1_000, using: &numbers)).map { UInt8($0 & 255) }
        let coding = ([nil] + ContentCoding.allCases).randomElement(using: &numbers) ?? nil
        var rest = RawHTTP2.message(content, isCompressed: coding != nil)[...]
        var pieces: [[UInt8]] = []
        while !rest.isEmpty {
            pieces.append(Array(rest.prefix(Int.random(in: 0...300, using: &numbers))))
            rest = rest.dropFirst(pieces[pieces.count - 1].count)
        }
        let message = try receive(pieces, coding: coding)
        #expect(message?.bytes == content)
        #expect(message?.coding == coding)
    }

    @Test(
        "an empty stream has no message, and a message without the compressed flag is not decompressed"
    )
    func absence() throws {
        #expect(try receive([]) == nil)
        #expect(try receive([[], []]) == nil)
        #expect(try receive([RawHTTP2.message([7])], coding: .gzip)?.coding == nil)
    }

    @Test("a message of the maximum size is accepted, and a longer one is rejected by its prefix")
    func limit() throws {
        #expect(code(RawHTTP2.message([1, 2, 3]), limit: 3) == nil)
        #expect(code(RawHTTP2.message([1, 2, 3, 4]), limit: 3) == .resourceExhausted)
        #expect(code(RawHTTP2.message([], count: 4), limit: 3) == .resourceExhausted)
        #expect(
            code(RawHTTP2.message([], count: Int(UInt32.max)), limit: .max) == .resourceExhausted)
    }

    @Test("anything but one complete message is an error")
    func malformed() {
        for count in 1..<8 {
            #expect(code(Array(RawHTTP2.message([1, 2, 3]).prefix(count))) == .invalidArgument)
        }
        #expect(code(RawHTTP2.message([1]) + RawHTTP2.message([2])) == .unimplemented)
        #expect(code(RawHTTP2.message([]) + [0]) == .unimplemented)
        #expect(code([2, 0, 0, 0, 0]) == .invalidArgument)
        #expect(code(Array("POST /v1/logs".utf8)) == .invalidArgument)
        #expect(code(RawHTTP2.message([1], isCompressed: true)) == .internalError)
    }
}
