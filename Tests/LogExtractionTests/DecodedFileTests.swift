import CallStacks
import Decompression
import LogExtraction
import Problems
import ReportFixtures
import ReportFormats
import TestSupport
import Testing

@Suite("Compressed files")
struct DecodedFileTests {
    private let text = bytes(String(repeating: "0 Orchard 0x1010 0x1000 + 16\n", count: 1_000))

    @Test("a compressed file has its original bytes")
    func decoded() throws {
        let plain = try DecodedFile(text, limit: 1 << 20)
        #expect(plain.bytes == text)
        #expect(plain.damage == nil)
        let gzip = try CompressedBody(gzipping: text).bytes
        let zstd = try ZstdBlock(compressing: text).bytes
        let both = try ZstdBlock(compressing: gzip).bytes
        for file in [gzip, zstd, both] {
            let decoded = try DecodedFile(file, limit: 1 << 20)
            #expect(decoded.bytes == text)
            #expect(decoded.received == file)
            #expect(decoded.damage == nil)
        }
    }

    @Test("a file that exceeds the limit when decompressed is rejected")
    func limit() throws {
        let gzip = try CompressedBody(gzipping: text).bytes
        let zstd = try ZstdBlock(compressing: text).bytes
        for file in [gzip, zstd] {
            #expect(try DecodedFile(file, limit: text.count).bytes == text)
            #expect(throws: CompressionError.self) {
                try DecodedFile(file, limit: text.count - 1)
            }
        }
    }

    @Test("a truncated or damaged file is decoded up to the damage")
    func damaged() throws {
        var numbers = SplitMix64(seed: 1)
        let noise = (0..<1 << 18).map { _ in UInt8.random(in: 1...127, using: &numbers) }
        let gzip = try CompressedBody(gzipping: noise).bytes
        let zstd = try ZstdBlock(compressing: noise).bytes
        for file in [gzip, zstd] {
            var overwritten = file
            for place in file.count * 3 / 4..<file.count { overwritten[place] = 0xff }
            for broken in [Array(file.prefix(file.count * 3 / 4)), overwritten] {
                let decoded = try DecodedFile(broken, limit: 1 << 21)
                // Damage is not noticed at its first byte.
                let sameCount = zip(decoded.bytes, noise).prefix { $0 == $1 }.count
                #expect(sameCount >= noise.count / 2)
                #expect(
                    decoded.damage?.description
                        == "is corrupt or truncated: use an intact copy")
            }
        }
    }

    @Test("a file with a wrong checksum is read, and reported as damaged")
    func checksum() throws {
        var gzip = try CompressedBody(gzipping: text).bytes
        gzip[gzip.count - 8] ^= 1
        let decoded = try DecodedFile(gzip, limit: 1 << 20)
        #expect(decoded.bytes == text)
        #expect(decoded.damage != nil)
    }

    @Test("only the last report of a damaged file is marked")
    func marked() throws {
        let first = "Thread 0:\n0   A   0x1010 0x1000 + 16\n\nBinary Images:\n"
        let crash = bytes("\(first)0x1000 - 0x1fff A arm64 <4c4c448155553144a199bfceae3fe729> /A\n")
        let gzip = try CompressedBody(gzipping: crash + crash).bytes
        let file = CrashFileReader().read(
            try DecodedFile(Array(gzip.dropLast(8)), limit: 1 << 20))
        let remarks = file.reports.map { $0.resolved().remarks }
        #expect(remarks.last == [.textTruncated])
        #expect(remarks.dropLast().allSatisfy { !$0.contains(.textTruncated) })
    }

    @Test("CR line ends are read like LF, and written back as CR")
    func carriageReturns() {
        let received = bytes("Thread 0:\r0 Orchard 0x1010 0x1000 + 16\r")
        let file = DecodedFile(received)
        #expect(CrashFileReader().read(file).diagnostics.map(\.tree.frames.count) == [1])
        #expect(file.encoded(file.bytes) == received)
        #expect(file.encoded(bytes("one\ntwo")) == bytes("one\rtwo"))
        let mixed = bytes("one\rtwo\n")
        #expect(DecodedFile(mixed).bytes == mixed)
    }
}
