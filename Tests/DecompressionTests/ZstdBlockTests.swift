import Decompression
import Problems
import TestSupport
import Testing

@Suite("zstd blocks")
struct ZstdBlockTests {
    static let text = CompressedSectionBytesTests.text

    @Test("a block inflates to the original at every level", arguments: ZstdBlock.levels)
    func roundTrip(level: Int) throws {
        for content in [[], Self.text, Array(repeating: 7, count: 100_000)] as [[UInt8]] {
            let block = try ZstdBlock(compressing: content, level: level)
            #expect(try ZstdBlock(block.bytes).inflated(limit: content.count) == content)
        }
    }

    @Test("a block from another program is readable")
    func foreign() throws {
        #expect(try ZstdBlock(zstdStream(Self.text)).inflated(limit: 100) == Self.text)
    }

    @Test("a block that declares more than the limit is rejected")
    func limit() throws {
        let block = ZstdBlock(zstdStream(Self.text))
        let error = #expect(throws: CompressionError.self) {
            try block.inflated(limit: Self.text.count - 1)
        }
        #expect(error?.reason == .tooLarge(limit: Self.text.count - 1))
        // A terabyte, declared in 8 bytes.
        let claim: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 1, 0, 0]
        #expect(throws: CompressionError.self) { try ZstdBlock(claim).inflated(limit: 1 << 30) }
    }

    @Test("a block that does not declare its size, and bytes that are not a block, are errors")
    func undeclared() {
        let streamed: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x01, 0, 0]
        for bytes in [streamed, [], Self.text] {
            let error = #expect(throws: CompressionError.self) {
                try ZstdBlock(bytes).inflated(limit: 1 << 20)
            }
            #expect(error?.reason == .damaged)
        }
    }

    @Test("every prefix of a block is an error")
    func prefixes() throws {
        let block = try ZstdBlock(compressing: Self.text)
        for end in 0..<block.bytes.count {
            #expect(throws: CompressionError.self) {
                try ZstdBlock(Array(block.bytes[..<end])).inflated(limit: 1 << 20)
            }
        }
    }

    @Test("a damaged block is an error or inflates within the limit", arguments: UInt64(0)..<200)
    func damage(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let block = try ZstdBlock(compressing: Self.text)
        let damaged = ZstdBlock(block.bytes.damaged(using: &numbers))
        do {
            #expect(try damaged.inflated(limit: 4_096).count <= 4_096)
        } catch { #expect(error.description.hasPrefix("zstd block")) }
    }
}
