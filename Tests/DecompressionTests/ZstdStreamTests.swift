import Decompression
import TestSupport
import Testing

@Suite("zstd streams")
struct ZstdStreamTests {
    private func compressed(_ bytes: [UInt8], pieces: Int) throws -> [UInt8] {
        var compressor = try ZstdCompressor()
        var stream: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            try compressor.add(piece.span, isLast: false) { Self.append($0, to: &stream) }
        }
        let end: [UInt8] = []
        try compressor.add(end.span, isLast: true) { Self.append($0, to: &stream) }
        return stream
    }

    private func inflated(
        _ stream: [UInt8], pieces: Int
    ) throws -> (bytes: [UInt8], isAtEnd: Bool) {
        var inflater = try ZstdInflater()
        var bytes: [UInt8] = []
        var rest = stream[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            try inflater.add(piece.span) { Self.append($0, to: &bytes) }
        }
        return (bytes, inflater.isAtEnd)
    }

    private static func append(_ span: Span<UInt8>, to bytes: inout [UInt8]) {
        for index in span.indices { bytes.append(span[index]) }
    }

    private static func mixed(_ count: Int) -> [UInt8] {
        var numbers = SplitMix64(seed: 7)
        return (0..<count).map { $0 % 3 == 0 ? UInt8.random(in: 0...255, using: &numbers) : 7 }
    }

    @Test(
        "a stream compressed in pieces of any size inflates in pieces of any size",
        arguments: [0, 1, 100, 128 << 10, 300_000, 256 << 10], [1 << 20, 777])
    func roundTrip(count: Int, pieces: Int) throws {
        let bytes = Self.mixed(count)
        let stream = try compressed(bytes, pieces: pieces)
        for size in [stream.count, 13] {
            let result = try inflated(stream, pieces: size)
            #expect(result.bytes == bytes)
            #expect(result.isAtEnd)
        }
    }

    @Test("one small piece of input can yield much output")
    func expanding() throws {
        let bytes = [UInt8](repeating: 0, count: 5_000_000)
        let stream = try compressed(bytes, pieces: bytes.count)
        #expect(stream.count < 2_000)
        #expect(try inflated(stream, pieces: stream.count).bytes.count == bytes.count)
    }

    @Test("a truncated stream is not at its end, and a damaged one is an error")
    func damaged() throws {
        let stream = try compressed(Self.mixed(10_000), pieces: 1 << 20)
        for count in [1, stream.count / 2, stream.count - 1] {
            #expect(try !inflated(Array(stream.prefix(count)), pieces: 1 << 20).isAtEnd)
        }
        var changed = stream
        changed[stream.count / 2] ^= 0x40
        #expect(throws: ZstdError.self) { try inflated(changed, pieces: 1 << 20) }
        #expect(throws: ZstdError.self) { try inflated(Array("no stream".utf8), pieces: 100) }
    }
}
