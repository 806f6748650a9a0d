import Decompression
import Problems
import TestSupport
import Testing

@Suite("Compressed bodies")
struct CompressedBodyTests {
    static let text = CompressedSectionBytesTests.text

    /// ``text`` compressed by Python's `gzip`, with the file name `body.json`.
    static let gzipped: [UInt8] = [
        0x1f, 0x8b, 0x08, 0x08, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0x62, 0x6f, 0x64, 0x79,
        0x2e, 0x6a, 0x73, 0x6f, 0x6e, 0x00, 0x2b, 0xae, 0xcc, 0x4d, 0xca, 0xcf, 0xc9, 0x2c,
        0x2e, 0x51, 0x28, 0xc6, 0xc7, 0x02, 0x00, 0x23, 0x16, 0x85, 0x26, 0x27, 0x00, 0x00,
        0x00,
    ]

    /// ``text`` compressed by `zlib.compressobj(9, zlib.DEFLATED, -15)`, without a header.
    static let deflated: [UInt8] = [
        0x2b, 0xae, 0xcc, 0x4d, 0xca, 0xcf, 0xc9, 0x2c, 0x2e, 0x51, 0x28, 0xc6, 0xc7, 0x02,
        0x00,
    ]

    static let bodies = [
        CompressedBody(gzipped, coding: .gzip),
        CompressedBody(CompressedSectionBytesTests.packedText, coding: .deflate),
        CompressedBody(deflated, coding: .deflate),
        CompressedBody(zstdStream(text), coding: .zstd),
    ]

    @Test("gzip, zlib, bare deflate and zstd bodies inflate to the original", arguments: bodies)
    func inflates(body: CompressedBody) throws {
        #expect(try body.inflated(limit: 1 << 20) == Self.text)
    }

    @Test("a limit of exactly the body's size suffices", arguments: bodies)
    func limit(body: CompressedBody) throws {
        #expect(try body.inflated(limit: Self.text.count) == Self.text)
        let limit = Self.text.count - 1
        let error = #expect(throws: CompressionError.self) { try body.inflated(limit: limit) }
        #expect(error?.reason == .tooLarge(limit: limit))
        #expect(throws: CompressionError.self) { try body.inflated(limit: 0) }
    }

    @Test("every prefix of a body is an error", arguments: bodies)
    func prefixes(body: CompressedBody) {
        for end in 0..<body.bytes.count {
            let prefix = CompressedBody(Array(body.bytes[..<end]), coding: body.coding)
            let error = #expect(throws: CompressionError.self) {
                try prefix.inflated(limit: 1 << 20)
            }
            #expect(error?.reason == .damaged)
        }
    }

    @Test("bytes after the end are an error", arguments: bodies)
    func trailing(body: CompressedBody) {
        for extra in [[0], [0x1f, 0x8b], Self.deflated] as [[UInt8]] {
            let longer = CompressedBody(body.bytes + extra, coding: body.coding)
            let error = #expect(throws: CompressionError.self) {
                try longer.inflated(limit: 1 << 20)
            }
            #expect(error?.reason == .damaged)
        }
    }

    @Test("several gzip members in a row are one body")
    func members() throws {
        let empty = try CompressedBody(gzipping: [])
        let body = CompressedBody(Self.gzipped + empty.bytes + Self.gzipped, coding: .gzip)
        #expect(try body.inflated(limit: 2 * Self.text.count) == Self.text + Self.text)
        #expect(throws: CompressionError.self) {
            try body.inflated(limit: 2 * Self.text.count - 1)
        }
        #expect(try empty.inflated(limit: 0) == [])
    }

    @Test("a body that inflates a thousandfold is accepted up to the limit and rejected above it")
    func bomb() throws {
        let zeros = [UInt8](repeating: 0, count: 3_000_000)
        let body = try CompressedBody(gzipping: zeros)
        #expect(body.bytes.count < 5_000)
        #expect(try body.inflated(limit: zeros.count) == zeros)
        let error = #expect(throws: CompressionError.self) {
            try body.inflated(limit: zeros.count - 1)
        }
        #expect(
            error?.description
                == "gzip body: inflates to more than 2999999 bytes: send less at once")
    }

    @Test("a zstd frame that asks for a window of more than 8 MiB is rejected")
    func zstdWindow() throws {
        // A block of one repeated byte; the second byte of the header sets the window.
        func body(windowLog: UInt8) -> CompressedBody {
            let block: [UInt8] = [0x0b, 0x00, 0x00, 0x07]
            let header: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, (windowLog - 10) << 3]
            return CompressedBody(header + block, coding: .zstd)
        }
        #expect(try body(windowLog: 23).inflated(limit: 10) == [7])
        #expect(throws: CompressionError.self) { try body(windowLog: 24).inflated(limit: 10) }
    }

    @Test("a gzipped body inflates to the original at every level", arguments: 1...12)
    func roundTrip(level: Int) throws {
        var numbers = SplitMix64(seed: UInt64(level))
        let noise = (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &numbers) }
        for content in [noise, Self.text, [7]] {
            let body = try CompressedBody(gzipping: content, level: level)
            #expect(body.coding == .gzip)
            #expect(try body.inflated(limit: content.count) == content)
        }
    }

    @Test("a damaged body is an error or inflates within the limit", arguments: UInt64(0)..<200)
    func damage(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        for body in Self.bodies {
            let damaged = CompressedBody(body.bytes.damaged(using: &numbers), coding: body.coding)
            do {
                #expect(try damaged.inflated(limit: 4_096).count <= 4_096)
            } catch { #expect(error.description.hasPrefix(body.coding.rawValue)) }
        }
    }

    @Test(
        "a coding is recognised by its name in either case",
        arguments: [
            ("gzip", .gzip), ("GZip", .gzip), ("x-gzip", .gzip), ("deflate", .deflate),
            ("zstd", .zstd), ("ZStd", .zstd), ("br", nil), ("", nil), ("gzip, deflate", nil),
        ] as [(String, ContentCoding?)])
    func codings(name: String, coding: ContentCoding?) {
        #expect(ContentCoding(name: name) == coding)
    }
}
