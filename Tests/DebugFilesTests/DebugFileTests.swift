import ByteReading
import CallStacks
import DebugFiles
import TestSupport
import Testing

@Suite("Debug files")
struct DebugFileTests {
    static func contents(_ bytes: [UInt8]) throws -> DebugFileContents {
        try DebugFile.slices(of: FileBytes(bytes), name: "Shop")
    }

    static func file(_ bytes: [UInt8]) throws -> DebugFile {
        try #require(try contents(bytes).files.first)
    }

    private func slice(_ cpuType: UInt32, _ subtype: UInt32, id: UInt8) -> (UInt32, UInt32, [UInt8])
    {
        var file = MachOBuilder.library()
        file.cpuType = cpuType
        file.cpuSubtype = subtype
        file.uuid = [UInt8](repeating: id, count: 16)
        return (cpuType, subtype, file.bytes())
    }

    @Test("the headers of a Mach-O file describe it")
    func machO() throws {
        var builder = MachOBuilder.library()
        builder.fileType = 10
        builder.commands = [builder.command(0x32, [2, 0, 0, 0])]
        let bytes = builder.bytes()
        let file = try Self.file(bytes)
        #expect(file.id?.description == "01020304-0506-0708-090A-0B0C0D0E0F10")
        #expect(file.architecture == .arm64)
        #expect(file.kind == .dSYM)
        #expect(file.platform == "ios")
        #expect(file.layout.base == LinkAddress(0x1_0000_0000))
        #expect(file.layout.code == [ImageOffset(0x1000)..<ImageOffset(0x1100)])
        #expect(file.textSize == 0x1_0000)
        #expect(file.byteCount == bytes.count)
        #expect(!file.hasDebugInformation)
    }

    @Test("the headers of an ELF file describe it")
    func elf() throws {
        let file = try Self.file(ELFBuilder.library().bytes())
        #expect(file.id?.description == "0102030405060708090a0b0c0d0e0f1011121314")
        #expect(file.architecture == .elfX86On64)
        #expect(file.kind == .elfDebug)
        #expect(file.platform == nil)
        #expect(file.layout.code == [ImageOffset(0x1000)..<ImageOffset(0x1100)])
    }

    @Test(
        "the text of an ELF file ends with its segment of code, or else with its code",
        arguments: [(0, 0x1100), (0x3000, 0x3000)] as [(UInt64, UInt64)])
    func elfText(segmentSize: UInt64, textSize: UInt64) throws {
        var builder = ELFBuilder.library(base: 0x1_0000)
        builder.segments = [.init(type: 1, at: 0x1_0000, fileSize: segmentSize)]
        #expect(try Self.file(builder.bytes()).textSize == textSize)
    }

    @Test("the text of a Mach-O file ends with the last segment that has code")
    func machOText() throws {
        var builder = MachOBuilder.library()
        let code = MachOBuilder.Section(
            "__text", at: 0x1_0004_0000, size: 0x10, flags: 0x8000_0400)
        builder.segments += [
            .init("__DATA", at: 0x1_0002_0000), .init("__TEXT_EXEC", at: 0x1_0004_0000, [code]),
            .init("__LINKEDIT", at: 0x1_0008_0000),
        ]
        #expect(try Self.file(builder.bytes()).textSize == 0x5_0000)
    }

    @Test("kinds of ELF files are distinguished by type, code and interpreter")
    func elfKinds() throws {
        var builder = ELFBuilder.library()
        builder.sections[0] = .init(".text", flags: 6, at: 0x1000, contents: [0xc3])
        #expect(try Self.file(builder.bytes()).kind == .elfShared)
        builder.segments.append(.init(type: 3, at: 0))
        #expect(try Self.file(builder.bytes()).kind == .elfExecutable)
        builder.type = 2
        builder.segments.removeLast()
        #expect(try Self.file(builder.bytes()).kind == .elfExecutable)
        builder.type = 1
        #expect(try Self.file(builder.bytes()).kind == .elfObject)
        builder.type = 4
        #expect(try Self.file(builder.bytes()).kind == .other)
    }

    @Test("a stripped ELF file names its debug file")
    func debugFileLink() throws {
        var builder = ELFBuilder.library()
        #expect(try Self.file(builder.bytes()).debugFileLink == nil)
        let link = Array("shop.debug\0\0".utf8) + [4, 3, 2, 1]
        builder.sections.append(.init(".gnu_debuglink", contents: link))
        let file = try Self.file(builder.bytes())
        #expect(file.debugFileLink?.fileName == "shop.debug")
        #expect(file.debugFileLink?.checksum == 0x0102_0304)
    }

    @Test("each slice of a fat file has its own identity, and a wrong architecture is named")
    func fat() throws {
        let bytes = MachOBuilder.fat([
            slice(0x0100_000c, 0, id: 1), slice(0x0100_000c, 2, id: 2),
            slice(0x0100_0007, 3, id: 3),
        ])
        let contents = try Self.contents(bytes)
        #expect(contents.files.compactMap(\.id?.bytes.first) == [1, 2, 3])
        #expect(contents.failures.isEmpty)
        #expect(try contents.file(architecture: "arm64e").id?.bytes.first == 2)
        let error = #expect(throws: DebugFileError.self) {
            try contents.file(architecture: "armv7")
        }
        #expect(
            error?.description == "Shop: no slice for 'armv7' (slices: arm64, arm64e, x86_64)")
    }

    @Test("a damaged slice is reported with its architecture and does not affect the others")
    func damagedSlice() throws {
        var damaged = slice(0x0100_000c, 0, id: 1)
        damaged.2[20] = 0xff
        damaged.2[22] = 0xff
        let notMachO: (UInt32, UInt32, [UInt8]) = (12, 9, [1, 2, 3, 4])
        let contents = try Self.contents(
            MachOBuilder.fat([damaged, slice(0x0100_0007, 3, id: 3), notMachO]))
        #expect(contents.files.map(\.architecture) == [.x86On64])
        try #require(contents.failures.map(\.architecture) == [.arm64, .armv7])
        #expect(contents.failures[0].error.description.hasPrefix("Shop: file+0x20: needs"))
        #expect(contents.failures[1].error.description == "Shop: is not a Mach-O or ELF file")
    }

    @Test("identities are those of the slices that have one")
    func identities() throws {
        let bytes = MachOBuilder.fat([
            slice(0x0100_000c, 0, id: 1), slice(0x0100_000c, 2, id: 0),
            slice(0x0100_0007, 3, id: 3),
        ])
        let ids = try DebugFile.identities(of: FileBytes(bytes), name: "Shop")
        #expect(ids.map(\.bytes.first) == [1, 3])
    }

    @Test(
        "a file that is not a Mach-O or ELF file is refused",
        arguments: ["", "\u{7f}EL", "text"])
    func unrecognised(text: String) {
        let bytes = FileBytes(Array(text.utf8))
        let error = #expect(throws: DebugFileError.self) {
            try DebugFile.slices(of: bytes, name: "Shop")
        }
        #expect(error?.reason == .unrecognised)
    }

    @Test("a static library is refused with a remedy", arguments: ["!<arch>\n", "!<thin>\n"])
    func staticLibrary(magic: String) {
        let error = #expect(throws: DebugFileError.self) {
            try Self.contents(Array((magic + "a.o/").utf8))
        }
        #expect(error?.reason == .staticLibrary)
    }

    @Test("a Java class is not taken for a fat file")
    func javaClass() {
        let bytes = FileBytes(
            [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52] + Array(repeating: 0, count: 2000))
        let error = #expect(throws: DebugFileError.self) {
            try DebugFile.slices(of: bytes, name: "Shop.class")
        }
        #expect(error?.reason == .unrecognised)
    }

    @Test("an image without __TEXT is refused with a remedy, an object file is not")
    func missingText() throws {
        var builder = MachOBuilder.library()
        builder.segments[0].name = ""
        let error = #expect(throws: DebugFileError.self) { try Self.contents(builder.bytes()) }
        #expect(error?.reason == .missingText)
        builder.fileType = 1
        let object = try Self.file(builder.bytes())
        #expect(object.kind == .object)
        #expect(object.id == nil)
    }
}
