import ByteReading
import CallStacks
import MachO
import TestSupport
import Testing

@Suite("Fat files")
struct FatFileTests {
    private func slice(_ cpuType: UInt32, _ subtype: UInt32) -> (UInt32, UInt32, [UInt8]) {
        var file = MachOBuilder.library()
        file.cpuType = cpuType
        file.cpuSubtype = subtype
        file.uuid?[0] = UInt8(truncatingIfNeeded: subtype)
        return (cpuType, subtype, file.bytes())
    }

    @Test("each slice has its own architecture and identity", arguments: [true, false])
    func slices(is64Bit: Bool) throws {
        let bytes = MachOBuilder.fat(
            [slice(0x0100_000c, 0), slice(0x0100_000c, 0x8000_0002), slice(0x0100_0007, 3)],
            is64Bit: is64Bit)
        let fat = try #require(FatFile(FileBytes(bytes)))
        #expect(fat.slices.map(\.architecture) == [.arm64, .arm64e, .x86On64])
        let ids = try fat.slices.map { try MachOImage($0.bytes.get()).id?.bytes.first }
        #expect(ids == [0, 2, 3])
    }

    @Test("a fat file has 1 to 30 slices, which excludes Java classes")
    func counts() {
        for (count, isFat) in [(0, false), (30, true), (31, false), (52, false)] {
            let slices = Array(repeating: (12, 9, [1]) as (UInt32, UInt32, [UInt8]), count: count)
            #expect((FatFile(FileBytes(MachOBuilder.fat(slices))) != nil) == isFat)
        }
    }

    @Test("a slice past the end is an error and affects no other slice")
    func pastEnd() throws {
        var bytes = MachOBuilder.fat([slice(0x0100_000c, 0), slice(0x0100_0007, 3)])
        bytes.removeLast(200)
        let fat = try #require(FatFile(FileBytes(bytes)))
        try #require(fat.slices.count == 2)
        #expect(try MachOImage(fat.slices[0].bytes.get()).id != nil)
        #expect(throws: ReadingError.self) { try fat.slices[1].bytes.get() }
    }

    @Test("a slice whose end overflows is an error")
    func overflow() throws {
        var bytes = MachOBuilder.fat([slice(0x0100_000c, 0)], is64Bit: true)
        bytes.replaceSubrange(16..<32, with: [UInt8](repeating: 0xff, count: 16))
        let fat = try #require(FatFile(FileBytes(bytes)))
        try #require(fat.slices.count == 1)
        #expect(throws: ReadingError.self) { try fat.slices[0].bytes.get() }
    }

    @Test("slices may share bytes")
    func overlap() throws {
        let one = slice(0x0100_000c, 0)
        var bytes = MachOBuilder.fat([one, one])
        bytes.replaceSubrange(8 + 20..<8 + 40, with: bytes[8..<28])
        let fat = try #require(FatFile(FileBytes(bytes)))
        for slice in fat.slices { #expect(try MachOImage(slice.bytes.get()).id != nil) }
    }

    @Test("a truncated table is not a fat file")
    func truncatedTable() {
        let bytes = MachOBuilder.fat([slice(0x0100_000c, 0), slice(0x0100_0007, 3)])
        for end in 0..<48 { #expect(FatFile(FileBytes(bytes[..<end])) == nil) }
    }
}
