import CallStacks
import CrashFiles
import Decompression
import TestSupport
import Testing

@Suite("Compressed files")
struct UnwrappedFileTests {
    private let text = bytes(String(repeating: "0 Orchard 0x1010 0x1000 + 16\n", count: 1_000))

    @Test("are what they were before")
    func unwrapped() throws {
        let plain = try UnwrappedFile(text, limit: 1 << 20)
        #expect(plain.bytes == text)
        #expect(plain.damage == nil)
        let gzip = try CompressedBody(gzipping: text).bytes
        let zstd = try ZstdBlock(compressing: text).bytes
        let both = try ZstdBlock(compressing: gzip).bytes
        for file in [gzip, zstd, both] {
            let unwrapped = try UnwrappedFile(file, limit: 1 << 20)
            #expect(unwrapped.bytes == text)
            #expect(unwrapped.received == file)
            #expect(unwrapped.damage == nil)
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

    @Test("that break off or are damaged give what comes before")
    func damaged() throws {
        var numbers = SplitMix64(seed: 1)
        let noise = (0..<1 << 18).map { _ in UInt8.random(in: 1...127, using: &numbers) }
        let gzip = try CompressedBody(gzipping: noise).bytes
        let zstd = try ZstdBlock(compressing: noise).bytes
        for file in [gzip, zstd] {
            var overwritten = file
            for place in file.count * 3 / 4..<file.count { overwritten[place] = 0xff }
            for broken in [Array(file.prefix(file.count * 3 / 4)), overwritten] {
                let unwrapped = try UnwrappedFile(broken, limit: 1 << 21)
                // Damage is not noticed at its first byte.
                let sameCount = zip(unwrapped.bytes, noise).prefix { $0 == $1 }.count
                #expect(sameCount >= noise.count / 2)
                #expect(
                    unwrapped.damage?.hasSuffix(": is damaged or cut off: send it whole") == true)
            }
        }
    }

    @Test("of which only the checksum is wrong are read, and told to be damaged")
    func checksum() throws {
        var gzip = try CompressedBody(gzipping: text).bytes
        gzip[gzip.count - 8] ^= 1
        let unwrapped = try UnwrappedFile(gzip, limit: 1 << 20)
        #expect(unwrapped.bytes == text)
        #expect(unwrapped.damage != nil)
    }

    @Test("mark the last report that is read of them, and no other")
    func marked() throws {
        let first = "Thread 0:\n0   A   0x1010 0x1000 + 16\n\nBinary Images:\n"
        let crash = bytes("\(first)0x1000 - 0x1fff A arm64 <4c4c448155553144a199bfceae3fe729> /A\n")
        let gzip = try CompressedBody(gzipping: crash + crash).bytes
        let file = CrashFileReader().read(
            try UnwrappedFile(Array(gzip.dropLast(8)), limit: 1 << 20))
        let remarks = file.reports.map { $0.resolved().remarks }
        #expect(remarks.last == [.textTruncated])
        #expect(remarks.dropLast().allSatisfy { !$0.contains(.textTruncated) })
    }

    @Test("with CR at the end of lines is read as with LF, and written as it came")
    func carriageReturns() {
        let received = bytes("Thread 0:\r0 Orchard 0x1010 0x1000 + 16\r")
        let file = UnwrappedFile(received)
        #expect(CrashFileReader().read(file).diagnostics.map(\.tree.frames.count) == [1])
        #expect(file.encoded(file.bytes) == received)
        #expect(file.encoded(bytes("one\ntwo")) == bytes("one\rtwo"))
        let mixed = bytes("one\rtwo\n")
        #expect(UnwrappedFile(mixed).bytes == mixed)
    }
}
