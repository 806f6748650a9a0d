import CrashFiles
import Decompression
import Testing

@Suite("Compressed files")
struct UnwrappedFileTests {
    private let text = bytes(String(repeating: "0 Orchard 0x1010 0x1000 + 16\n", count: 1_000))

    @Test("are what they were before")
    func unwrapped() throws {
        let plain = try UnwrappedFile(text, limit: 1 << 20)
        #expect(plain.bytes == text)
        #expect(!plain.wasCompressed)
        let gzip = try CompressedBody(gzipping: text).bytes
        let zstd = try ZstdBlock(compressing: text).bytes
        let both = try ZstdBlock(compressing: gzip).bytes
        for file in [gzip, zstd, both] {
            let unwrapped = try UnwrappedFile(file, limit: 1 << 20)
            #expect(unwrapped.bytes == text)
            #expect(unwrapped.wasCompressed)
        }
    }

    @Test("that stand for more than there is room for are refused")
    func limit() throws {
        let gzip = try CompressedBody(gzipping: text).bytes
        let zstd = try ZstdBlock(compressing: text).bytes
        for file in [gzip, zstd] {
            #expect(try UnwrappedFile(file, limit: text.count).bytes == text)
            #expect(throws: CompressionError.self) {
                try UnwrappedFile(file, limit: text.count - 1)
            }
        }
    }

    @Test("that break off are refused")
    func damaged() throws {
        let gzip = try CompressedBody(gzipping: text).bytes
        let zstd = try ZstdBlock(compressing: text).bytes
        for file in [gzip, zstd] {
            #expect(throws: CompressionError.self) {
                try UnwrappedFile(Array(file.dropLast(9)), limit: 1 << 20)
            }
        }
    }
}
