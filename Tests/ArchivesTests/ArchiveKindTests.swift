import Archives
import TestSupport
import Testing

@Suite("Kinds of archives")
struct ArchiveKindTests {
    @Test("only archives are detected as archives, by their content")
    func kinds() {
        var tar = TarBuilder()
        tar.add("x", wanted)
        var zip = ZipBuilder()
        #expect(ArchiveKind(start: zip.bytes()) == .zip)
        zip.add("x", wanted)
        #expect(ArchiveKind(start: zip.bytes()) == .zip)
        #expect(ArchiveKind(start: tar.bytes()) == .tar)
        #expect(ArchiveKind(start: [0x1f, 0x8b, 0x08, 0]) == .gzip)
        #expect(ArchiveKind(start: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0]) == .xz)
        #expect(ArchiveKind(start: zstdStream(wanted)) == .zstd)
        for other in [[], [0x50, 0x4b], wanted, [UInt8](repeating: 0, count: 1_024)] {
            #expect(ArchiveKind(start: other) == nil)
        }
    }

    @Test("a block with a wrong checksum is not a tar header")
    func checksum() {
        var tar = TarBuilder()
        tar.add("x", wanted)
        var bytes = tar.bytes()
        bytes[0] += 1
        #expect(ArchiveKind(start: bytes) == nil)
        #expect(ArchiveKind(start: tar.bytes().prefix(511)) == nil)
    }
}
