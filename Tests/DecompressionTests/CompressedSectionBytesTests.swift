import ByteReading
import Decompression
import TestSupport
import Testing

@Suite("Compressed sections")
struct CompressedSectionBytesTests {
    static let text = Array("symbolist symbolist symbolist symbolist".utf8)

    /// ``text`` compressed by `zlib.compress(text, 9)`, with a match and Huffman codes.
    static let packedText: [UInt8] = [
        0x78, 0xda, 0x2b, 0xae, 0xcc, 0x4d, 0xca, 0xcf, 0xc9, 0x2c, 0x2e, 0x51, 0x28, 0xc6,
        0xc7, 0x02, 0x00, 0x3f, 0xc6, 0x0f, 0xf9,
    ]

    private func compressed(
        _ stream: [UInt8], _ method: CompressedSectionBytes.Method = .zlib, declares size: Int
    ) -> CompressedSectionBytes {
        CompressedSectionBytes(
            method: method, stream: FileBytes(stream, subject: ".debug_info"),
            inflatedCount: UInt64(size))
    }

    @Test("zlib and zstd streams inflate to the original")
    func inflates() throws {
        let streams: [(CompressedSectionBytes.Method, [UInt8])] = [
            (.zlib, Self.packedText), (.zlib, zlibStream(Self.text)),
            (.zstd, zstdStream(Self.text)),
        ]
        for (method, stream) in streams {
            let bytes = try compressed(stream, method, declares: Self.text.count).inflated()
            #expect(array(bytes) == Self.text)
            #expect(bytes.subject == ".debug_info")
        }
    }

    @Test("a stream that is longer or shorter than declared is an error")
    func wrongSize() {
        for size in [Self.text.count - 1, Self.text.count + 1, 0] {
            for (method, stream) in [
                (CompressedSectionBytes.Method.zlib, Self.packedText),
                (.zstd, zstdStream(Self.text)),
            ] {
                #expect(throws: ReadingError.self) {
                    try compressed(stream, method, declares: size).inflated()
                }
            }
        }
    }

    @Test("every prefix of a stream is an error")
    func prefixes() {
        for (method, stream) in [
            (CompressedSectionBytes.Method.zlib, Self.packedText), (.zstd, zstdStream(Self.text)),
        ] {
            for end in 0..<stream.count {
                #expect(throws: ReadingError.self) {
                    try compressed(Array(stream[..<end]), method, declares: Self.text.count)
                        .inflated()
                }
            }
        }
    }

    @Test("a size beyond the ratio is rejected, and the largest one within it is accepted")
    func ratio() throws {
        let zeros = [UInt8](repeating: 0, count: 100)
        for method in [CompressedSectionBytes.Method.zlib, .zstd] {
            let reach = zeros.count * Int(method.ratioLimit)
            #expect(reason(compressed(zeros, method, declares: reach)).contains("stream"))
            #expect(
                reason(compressed(zeros, method, declares: reach + 1)).contains("beyond the limit"))
        }
    }

    @Test("a terabyte from a kilobyte, and more than 4 GiB from anything, are rejected")
    func hugeSizes() {
        let kilobyte = [UInt8](repeating: 0, count: 1024)
        let limit = Int(CompressedSectionBytes.inflatedBytesLimit)
        let large = [UInt8](repeating: 0, count: limit / 1_100 + 1)
        for method in [CompressedSectionBytes.Method.zlib, .zstd] {
            #expect(
                reason(compressed(kilobyte, method, declares: 1 << 40))
                    == ".debug_info+0x0: declares 1099511627776 bytes from 1024, beyond the limit")
            #expect(reason(compressed(large, method, declares: limit + 1)).contains("beyond"))
        }
    }

    @Test("a size beyond the caller's limit is rejected, and one within it is accepted")
    func callersLimit() throws {
        let size = UInt64(Self.text.count)
        let bytes = compressed(Self.packedText, declares: Self.text.count)
        #expect(try bytes.inflated(limit: size).count == Self.text.count)
        #expect(throws: ReadingError.self) { try bytes.inflated(limit: size - 1) }
    }

    @Test("the header of a .zdebug section is 'ZLIB' and a big-endian size")
    func zdebug() throws {
        let section = FileBytes(zdebugSection(Self.text), subject: ".debug_str")
        let compressed = try #require(try CompressedSectionBytes(zdebugSection: section))
        #expect(compressed.inflatedCount == UInt64(Self.text.count))
        #expect(array(try compressed.inflated()) == Self.text)
    }

    @Test(
        "a .zdebug section without the header is not compressed, and a truncated header is an error"
    )
    func zdebugWithoutHeader() throws {
        #expect(
            try CompressedSectionBytes(zdebugSection: FileBytes(Array("ZLIC12345678".utf8))) == nil)
        #expect(try CompressedSectionBytes(zdebugSection: FileBytes(Array("ZLI".utf8))) == nil)
        #expect(throws: ReadingError.self) {
            try CompressedSectionBytes(zdebugSection: FileBytes(Array("ZLIB1234567".utf8)))
        }
    }

    private func reason(_ bytes: CompressedSectionBytes) -> String {
        do {
            _ = try bytes.inflated()
            return "inflated"
        } catch { return error.description }
    }

    private func array(_ bytes: FileBytes) -> [UInt8] {
        bytes.withSpan(of: 0..<bytes.count) { span in span.indices.map { span[$0] } }
    }
}
