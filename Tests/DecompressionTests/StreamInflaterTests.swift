import TestSupport
import Testing

@testable import Decompression

@Suite("Bodies inflated as a stream")
struct StreamInflaterTests {
    private func inflate(
        _ pieces: [ArraySlice<UInt8>], _ coding: ContentCoding
    ) throws -> (bytes: [UInt8], isAtEnd: Bool) {
        var inflater = StreamInflater(coding: coding)
        var bytes: [UInt8] = []
        for piece in pieces {
            try inflater.add(Array(piece).span) { inflated in
                unsafe inflated.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
            }
        }
        return (bytes, inflater.isAtEnd)
    }

    @Test("each coding inflates to the same bytes in pieces of any size", arguments: UInt64(0)..<10)
    func pieces(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let plain = (0..<Int.random(in: 0...150_000, using: &numbers)).map {
            UInt8(truncatingIfNeeded: $0 / 7)
        }
        let zlib = zlibStream(plain)
        let raw = Array(zlib.dropFirst(2).dropLast(4))
        let gzip = try CompressedBody(gzipping: plain).bytes
        for (bytes, coding, expected) in [
            (zlib, ContentCoding.deflate, plain), (raw, .deflate, plain), (gzip, .gzip, plain),
            (gzip + gzip, .gzip, plain + plain), (try zstd(plain), .zstd, plain),
        ] {
            var rest = bytes[...]
            var pieces: [ArraySlice<UInt8>] = []
            while !rest.isEmpty {
                let count = Int.random(in: 0...min(rest.count, 90_000), using: &numbers)
                pieces.append(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            let result = try inflate(pieces, coding)
            #expect(result.bytes == expected)
            #expect(result.isAtEnd)
        }
    }

    private func zstd(_ bytes: [UInt8]) throws -> [UInt8] {
        var compressor = try ZstdCompressor()
        var stream: [UInt8] = []
        try compressor.add(bytes.span, isLast: true) { piece in
            unsafe piece.withUnsafeBufferPointer { unsafe stream.append(contentsOf: $0) }
        }
        return stream
    }

    @Test("a truncated body is not at its end")
    func truncated() throws {
        let plain = Array("hello, hello".utf8)
        for (bytes, coding) in [
            (try CompressedBody(gzipping: plain).bytes, ContentCoding.gzip),
            (try zstd(plain), .zstd),
        ] {
            for count in 0..<bytes.count {
                #expect(try !inflate([bytes.prefix(count)], coding).isAtEnd)
            }
        }
    }

    @Test("a damaged body is an error")
    func damaged() throws {
        let gzip = try CompressedBody(gzipping: Array("hello, hello".utf8)).bytes
        var wrongSum = gzip
        wrongSum[gzip.count - 6] ^= 1
        for (bytes, coding) in [
            (Array("hello".utf8), ContentCoding.gzip), (wrongSum, .gzip),
            (gzip + [1, 2, 3], .gzip),
            (zlibStream([1, 2]) + [0], .deflate), (Array("hello".utf8), .zstd),
        ] {
            #expect(throws: CompressionError.self) { try inflate([bytes[...]], coding) }
        }
    }
}
