import ByteReading
import CallStacks
import ELF
import TestSupport
import Testing

@Suite("ELF images")
struct ELFImageTests {
    private func image(_ file: ELFBuilder) throws -> ELFImage {
        try ELFImage(FileBytes(file.bytes()))
    }

    @Test(
        "identity, base and code are read in both classes and both byte orders",
        arguments: [true, false], [true, false])
    func basics(is64Bit: Bool, bigEndian: Bool) throws {
        var file = ELFBuilder()
        file.is64Bit = is64Bit
        file.bigEndian = bigEndian
        file.machine = 183
        file.segments = [.init(type: 1, at: 0x1_0000)]
        file.sections = [
            .init(".text", flags: 6, at: 0x1_1000, contents: [1, 2, 3, 4]),
            .init(".data", flags: 3, at: 0x1_2000, contents: [1]),
            .init(".init", flags: 4, at: 0x1_3000, contents: [1]),
        ]
        file.addNote("GNU", type: 3, contents: [0xab, 0xcd])
        let image = try image(file)
        #expect(image.header.is64Bit == is64Bit)
        #expect(image.header.isBigEndian == bigEndian)
        #expect(image.header.architecture == .elfARM64)
        #expect(image.buildID.imageID?.hex == "abcd")
        #expect(image.layout.base == LinkAddress(0x1_0000))
        #expect(image.layout.code == [ImageOffset(0x1000)..<ImageOffset(0x1004)])
        #expect(image.sections.map(\.name).prefix(3) == ["", ".text", ".data"])
    }

    @Test("the class distinguishes the architectures of RISC-V", arguments: [true, false])
    func riscV(is64Bit: Bool) throws {
        var file = ELFBuilder.library()
        file.is64Bit = is64Bit
        file.machine = 243
        let name = try image(file).header.architecture.name
        #expect(name == (is64Bit ? "riscv64" : "riscv32"))
        #expect(Architecture(name: name)?.name == name)
    }

    @Test("code without bytes is code: a debug file has only its addresses")
    func debugFile() throws {
        let image = try image(.library())
        #expect(image.lacksCodeBytes)
        #expect(image.layout.code == [ImageOffset(0x1000)..<ImageOffset(0x1100)])
        try #require(image.sections.count > 1)
        #expect(try image.bytes(of: image.sections[1]) == nil)
    }

    @Test("the base is the first loaded segment, above 2⁶³ and not the lowest in a kernel")
    func kernel() throws {
        let base: UInt64 = 0xffff_ffff_8100_0000
        var file = ELFBuilder.library(base: base)
        file.segments.append(.init(type: 1, at: 0))
        file.sections.append(.init(".percpu", flags: 6, at: 0, size: 16))
        file.sections.append(.init(".wraps", flags: 6, at: .max - 4, size: 16))
        let layout = try image(file).layout
        #expect(layout.base == LinkAddress(base))
        #expect(layout.code == [ImageOffset(0x1000)..<ImageOffset(0x1100)])
    }

    @Test("build IDs of 1 to 32 bytes are identities", arguments: [1, 16, 20, 32])
    func buildIDs(count: Int) throws {
        let bytes = [UInt8](repeating: 7, count: count)
        #expect(try image(.library(buildID: bytes)).buildID.imageID?.bytes == bytes)
    }

    @Test("a missing, empty, zero or 33-byte build ID is not an identity, with the reason")
    func noBuildID() throws {
        #expect(try image(.library(buildID: nil)).buildID == .absent)
        #expect(try image(.library(buildID: [])).buildID == .unusable(byteCount: 0))
        #expect(try image(.library(buildID: [0, 0])).buildID == .unusable(byteCount: 2))
        let tooLong = [UInt8](repeating: 7, count: 33)
        #expect(try image(.library(buildID: tooLong)).buildID == .unusable(byteCount: 33))
    }

    @Test("notes of other owners or other types are skipped")
    func otherNotes() throws {
        var file = ELFBuilder.library(buildID: nil)
        let notes = [
            file.note("GNU", type: 1, contents: [1, 2, 3]),
            file.note("Linux", type: 3, contents: [4, 5, 6, 7, 8]),
            file.note("GNU", type: 3, contents: [9]),
        ]
        file.sections.append(.init(".notes", type: 7, contents: notes.flatMap(\.self)))
        #expect(try image(file).buildID.imageID?.bytes == [9])
    }

    @Test("a note section is preferred to PT_NOTE, which in debug files refers to other bytes")
    func noteSectionFirst() throws {
        var file = ELFBuilder.library(buildID: [1])
        let other = file.note("GNU", type: 3, contents: [2])
        file.sections.append(.init(".other", contents: other))
        let place = try #require(file.bytes().firstRange(of: other)).lowerBound
        let shift = 56
        file.segments.append(
            .init(
                type: 4, at: 0, offset: UInt64(place + shift), fileSize: UInt64(other.count)))
        #expect(try image(file).buildID.imageID?.bytes == [1])
        file.sections.removeAll { $0.type == 7 }
        let moved = try #require(file.bytes().firstRange(of: other)).lowerBound
        file.segments[1].offset = UInt64(moved)
        #expect(try image(file).buildID.imageID?.bytes == [2])
    }

    @Test("corrupt notes are ignored and affect nothing else", arguments: [11, 12, 15, 16, 35])
    func truncatedNotes(count: Int) throws {
        var file = ELFBuilder.library(buildID: nil)
        let note = file.note("GNU", type: 3, contents: Array(1...20))
        file.sections.append(.init(".note", type: 7, contents: Array(note[..<count])))
        #expect(try image(file).buildID == .absent)
        file.addNote("GNU", type: 3, contents: [5])
        #expect(try image(file).buildID.imageID?.bytes == [5])
    }

    @Test("a build ID is found within the limit of notes, and not past it")
    func noteCount() throws {
        for (count, isFound) in [((1 << 16) - 1, true), (1 << 16, false)] {
            var file = ELFBuilder.library(buildID: nil)
            let other = file.note("GNU", type: 1, contents: [])
            let notes = Array(repeating: other, count: count).flatMap(\.self)
            file.sections.append(.init(".note", type: 7, contents: notes))
            file.addNote("GNU", type: 3, contents: [5])
            #expect((try image(file).buildID.imageID != nil) == isFound)
        }
    }

    @Test("a section name of the maximum length is read, and one byte more is not")
    func nameLength() throws {
        for (count, isRead) in [(1024, true), (1025, false)] {
            var file = ELFBuilder()
            file.sections = [.init(String(repeating: "n", count: count), contents: [1])]
            let sections = try image(file).sections
            try #require(sections.count > 1)
            #expect(sections[1].name.isEmpty == !isRead)
        }
    }

    @Test("a link's path of the maximum length is read, and one byte more is an error")
    func pathLength() throws {
        for (count, isRead) in [(4096, true), (4097, false)] {
            var file = ELFBuilder()
            let link = [UInt8](repeating: 0x61, count: count) + [0, 1]
            file.sections = [.init(".gnu_debugaltlink", contents: link)]
            #expect(((try? image(file).debugAlternateLink()) != nil) == isRead)
        }
    }

    @Test("the debug link has a name and a checksum, the alternate link a name and a build ID")
    func links() throws {
        var file = ELFBuilder.library()
        #expect(try image(file).debugLink() == nil)
        #expect(try image(file).debugAlternateLink() == nil)
        file.sections.append(
            .init(".gnu_debuglink", contents: Array("ab.debug\0\0\0\0".utf8) + [4, 3, 2, 1]))
        file.sections.append(
            .init(".gnu_debugaltlink", contents: Array("/dwz/x\0".utf8) + [0xaa, 0xbb]))
        let image = try image(file)
        #expect(try image.debugLink()?.fileName == "ab.debug")
        #expect(try image.debugLink()?.checksum == 0x0102_0304)
        #expect(try image.debugAlternateLink()?.fileName == "/dwz/x")
        #expect(try image.debugAlternateLink()?.id?.hex == "aabb")
    }

    @Test("a compression header has method and size, in both classes", arguments: [true, false])
    func compression(is64Bit: Bool) throws {
        var file = ELFBuilder.library()
        file.is64Bit = is64Bit
        let contents = file.compressed([9, 8, 7], type: 2, size: 1000)
        file.sections = [.init(".debug_info", flags: 0x800, contents: contents)]
        let image = try image(file)
        try #require(image.sections.count > 1)
        let compression = try #require(try image.compression(of: image.sections[1]))
        #expect(compression.type == 2)
        #expect(compression.inflatedCount == 1000)
        #expect(compression.stream.count == 3)
        #expect(try compression.stream.number(UInt8.self, at: 0) == 9)
    }
}
