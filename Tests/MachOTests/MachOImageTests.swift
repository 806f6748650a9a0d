import ByteReading
import CallStacks
import MachO
import TestSupport
import Testing

@Suite("Mach-O images")
struct MachOImageTests {
    @Test(
        "identity, base and code are read in both widths and both byte orders",
        arguments: [true, false], [true, false])
    func thin(is64Bit: Bool, bigEndian: Bool) throws {
        var file = MachOBuilder.library(base: 0x4000)
        file.is64Bit = is64Bit
        file.bigEndian = bigEndian
        let image = try MachOImage(FileBytes(file.bytes()))
        #expect(image.header.is64Bit == is64Bit)
        #expect(image.header.isBigEndian == bigEndian)
        #expect(image.header.architecture == .arm64)
        #expect(image.header.fileType == .dylib)
        #expect(image.id?.description == "01020304-0506-0708-090A-0B0C0D0E0F10")
        let layout = try #require(image.layout)
        #expect(layout.base == LinkAddress(0x4000))
        #expect(layout.code == [ImageOffset(0x1000)..<ImageOffset(0x1100)])
    }

    @Test("a missing or zero UUID is not an identity")
    func noIdentity() throws {
        var file = MachOBuilder.library()
        for uuid in [nil, [UInt8](repeating: 0, count: 16)] {
            file.uuid = uuid
            #expect(try MachOImage(FileBytes(file.bytes())).id == nil)
        }
    }

    @Test("code is decided by the section flags, not by names")
    func codeSections() throws {
        var file = MachOBuilder.library(base: 0)
        file.segments[0].sections += [
            .init("__stubs", at: 0x1200, size: 16, flags: 0x0000_0408),
            .init("__const", at: 0x1300, size: 16),
            .init("__pure", at: 0x1400, size: 16, flags: 0x8000_0000),
            .init("__wraps", at: .max - 4, size: 16, flags: 0x8000_0000),
        ]
        let layout = try #require(try MachOImage(FileBytes(file.bytes())).layout)
        #expect(layout.code.map(\.lowerBound.rawValue) == [0x1000, 0x1200, 0x1400])
    }

    @Test("code sections without sizes reach to the next section or the end of the segment")
    func codeSectionsWithoutSizes() throws {
        var file = MachOBuilder.library(base: 0)
        file.segments[0].sections = [
            .init("__stubs", at: 0x1800, flags: 0x0000_0408),
            .init("__text", at: 0x1000, flags: 0x8000_0400), .init("__const", at: 0x1400),
            .init("__twin", at: 0x1000, flags: 0x8000_0400),
            .init("__outside", at: 0x2_0000, flags: 0x8000_0400),
        ]
        let layout = try #require(try MachOImage(FileBytes(file.bytes())).layout)
        #expect(
            layout.code == [
                ImageOffset(0x1000)..<ImageOffset(0x1400),
                ImageOffset(0x1800)..<ImageOffset(0x1_0000),
            ])
        file.segments[0].sections[0].size = 4
        let sized = try #require(try MachOImage(FileBytes(file.bytes())).layout)
        #expect(sized.code == [ImageOffset(0x1800)..<ImageOffset(0x1804)])
    }

    @Test("without __TEXT offsets have no origin")
    func noText() throws {
        var file = MachOBuilder.library()
        file.segments[0].name = "__DATA"
        #expect(try MachOImage(FileBytes(file.bytes())).layout == nil)
    }

    @Test("the platform comes from the build version, or else from the minimum version")
    func platform() throws {
        let commands: [(UInt32, [UInt32], MachOPlatform?)] = [
            (0x32, [7, 0, 0, 0], .iOSSimulator), (0x32, [99, 0, 0, 0], nil),
            (0x24, [0, 0], .macOS), (0x25, [0, 0], .iOS), (0x2f, [0, 0], .tvOS),
            (0x30, [0, 0], .watchOS),
        ]
        for (kind, words, platform) in commands {
            var file = MachOBuilder.library()
            file.commands = [file.command(kind, words)]
            #expect(try MachOImage(FileBytes(file.bytes())).platform == platform)
        }
        #expect(MachOPlatform.iOSSimulator.name == "iossimulator")
    }

    @Test("section names of 16 bytes are not terminated by a zero")
    func longNames() throws {
        var file = MachOBuilder.library()
        file.segments.append(
            .init("__DWARF", at: 0, [.init("__debug_str_offs", contents: [1, 2, 3])]))
        let image = try MachOImage(FileBytes(file.bytes()))
        let section = try #require(image.sections.last)
        #expect(section.name == "__debug_str_offs")
        #expect(try image.bytes(of: section)?.number(UInt8.self, at: 2) == 3)
    }

    @Test("a section at file offset 0, as dSYMs have for code, has no bytes")
    func codeOfDSYM() throws {
        let image = try MachOImage(FileBytes(MachOBuilder.library().bytes()))
        let text = try #require(image.sections.first)
        #expect(text.containsCode)
        #expect(try image.bytes(of: text) == nil)
    }

    @Test("zero-filled sections have no bytes, whatever their offset", arguments: [0x1, 0xc, 0x12])
    func zeroFill(type: UInt32) throws {
        var file = MachOBuilder.library()
        file.segments[0].sections[0] = .init("__bss", size: 1 << 40, contents: [1], flags: type)
        let image = try MachOImage(FileBytes(file.bytes()))
        try #require(!image.sections.isEmpty)
        #expect(try image.bytes(of: image.sections[0]) == nil)
    }

    @Test("a section offset that wrapped at 4 GiB is corrected by its segment")
    func wrappedOffset() throws {
        var file = MachOBuilder.library()
        var dwarf = MachOBuilder.Segment("__DWARF", at: 0x10_0000)
        let place = file.placeOfFirstContents(addingSegmentsOfSections: [1])
        dwarf.fileOffset = 1 << 32
        dwarf.fileSize = 0x1_0000
        dwarf.sections = [.init("__debug_info", at: 0x10_0000 + UInt64(place), contents: [1])]
        file.segments.append(dwarf)
        let image = try MachOImage(FileBytes(file.bytes()))
        try #require(image.sections.count > 1)
        let error = #expect(throws: ReadingError.self) { try image.bytes(of: image.sections[1]) }
        #expect(error?.offset == 1 << 32 + UInt64(place))

        file.segments[1].fileSize = 0
        let unbound = try MachOImage(FileBytes(file.bytes()))
        try #require(unbound.sections.count > 1)
        #expect(try unbound.bytes(of: unbound.sections[1])?.count == 1)
    }

    @Test("a section past the end of the file is an error that names it, and affects nothing else")
    func sectionPastEnd() throws {
        var file = MachOBuilder.library()
        file.segments.append(
            .init("__DWARF", at: 0, [.init("__debug_info", size: 1 << 40, contents: [1])]))
        let image = try MachOImage(FileBytes(file.bytes()))
        #expect(image.id != nil)
        try #require(image.sections.count > 1)
        let error = #expect(throws: ReadingError.self) { try image.bytes(of: image.sections[1]) }
        #expect(error?.description.hasSuffix("needs 1099511627776 bytes, has 1") == true)
    }
}

extension MachOBuilder {
    /// The offset of the first contents once segments with these numbers of sections are added.
    fileprivate func placeOfFirstContents(addingSegmentsOfSections counts: [Int]) -> Int {
        var file = self
        for count in counts {
            let section = Section("", contents: [])
            file.segments.append(Segment("", at: 0, Array(repeating: section, count: count)))
        }
        return file.bytes().count
    }
}
