import ByteReading
import CallStacks
import ELF
import TestSupport
import Testing

@Suite("Damaged ELF files")
struct DamagedELFTests {
    private func image(_ file: ELFBuilder) throws -> ELFImage {
        try ELFImage(FileBytes(file.bytes()))
    }

    @Test(
        "a corrupt index of the name table loses the names and not the identity",
        arguments: [0xffff, 0xfffe, 0, 99, 1])
    func namesIndex(index: Int) throws {
        var file = ELFBuilder.library()
        file.falseNamesIndex = UInt16(index)
        let image = try image(file)
        #expect(image.buildID.imageID?.bytes.count == 20)
        #expect(image.sections.allSatisfy { $0.name.isEmpty })
    }

    @Test(
        "strings in a section that is missing, or is not a string table, are an error",
        arguments: [0, 1, 99, .max] as [UInt32])
    func stringsLink(link: UInt32) throws {
        var file = ELFBuilder.library()
        file.add([.init("one", at: 0x1000)])
        file.sections[file.sections.count - 2].link = link
        let error = #expect(throws: ReadingError.self) { try image(file).symbols() }
        #expect(error?.description.contains("section \(link), which is not a string table") == true)
    }

    @Test("a section that overflows or extends past the file is an error on access")
    func sectionPastEnd() throws {
        for (offset, size) in [(.max, 2), (1 << 40, 1), (0, 1 << 40)] as [(UInt64, UInt64)] {
            var file = ELFBuilder.library()
            file.sections.append(.init(".debug_info", size: size, contents: [1]))
            file.sections[file.sections.count - 1].falseOffset = offset
            let image = try image(file)
            let section = try #require(image.sections.first { $0.name == ".debug_info" })
            let error = #expect(throws: ReadingError.self) { try image.bytes(of: section) }
            #expect(error?.subject == "file")
            #expect(error?.offset == offset)
        }
    }

    @Test("section headers past the end of the file are an error with their offset")
    func sectionHeaders() throws {
        var bytes = ELFBuilder.library().bytes()
        let table = try FileBytes(bytes).number(UInt64.self, at: 40)
        bytes.removeLast()
        let error = #expect(throws: ReadingError.self) { try ELFImage(FileBytes(bytes)) }
        #expect(error?.offset == table)
    }

    @Test("one section more than the limit, counted in section 0, is rejected")
    func sectionCount() throws {
        for (excess, text) in [(0, "needs"), (1, "1048577 sections, limit is 1048576")] {
            var bytes = ELFBuilder.library().bytes()
            let table = Int(try FileBytes(bytes).number(UInt64.self, at: 40))
            bytes[60] = 0
            let count = UInt64(ELFHeader.sectionCountLimit) + UInt64(excess)
            for byte in 0..<8 { bytes[table + 32 + byte] = UInt8(count >> (8 * byte) & 0xff) }
            let error = #expect(throws: ReadingError.self) { try ELFImage(FileBytes(bytes)) }
            #expect(error?.description.contains(text) == true)
        }
    }

    @Test(
        "unknown classes and byte orders are errors", arguments: [4, 5], [0, 3, 0xff] as [UInt8])
    func identification(place: Int, value: UInt8) {
        var bytes = ELFBuilder.library().bytes()
        bytes[place] = value
        let error = #expect(throws: ReadingError.self) { try ELFImage(FileBytes(bytes)) }
        #expect(error?.offset == UInt64(place))
    }

    @Test("every prefix of a file is read or is an error", arguments: [true, false])
    func prefixes(is64Bit: Bool) {
        let bytes = ELFBuilder.everything(is64Bit: is64Bit).bytes()
        for end in bytes.indices { readAll(Array(bytes[..<end])) }
    }

    @Test(
        "a file with any bytes changed is read or is an error", arguments: 0..<50 as Range<UInt64>)
    func damage(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var file = ELFBuilder.everything(is64Bit: Bool.random(using: &numbers))
        file.bigEndian = Bool.random(using: &numbers)
        let bytes = file.bytes()
        for _ in 0..<100 { readAll(bytes.damaged(using: &numbers)) }
    }

    /// Reads everything; the test is that this returns.
    private func readAll(_ bytes: [UInt8]) {
        do throws(ReadingError) {
            let image = try ELFImage(FileBytes(bytes))
            _ = image.layout
            for section in image.sections {
                _ = try image.bytes(of: section)
                _ = try image.compression(of: section)
            }
            _ = try image.symbols()?.forEach { _ in }
            _ = try image.debugLink()
            _ = try image.debugAlternateLink()
        } catch { #expect(!error.subject.isEmpty) }
    }
}

extension ELFBuilder {
    /// A library with every kind of section that is read.
    fileprivate static func everything(is64Bit: Bool) -> Self {
        var file = Self()
        file.is64Bit = is64Bit
        file.segments = [
            Segment(type: 1, at: 0), Segment(type: 4, at: 0, offset: 64, fileSize: 40),
        ]
        file.sections = [Section(".text", flags: 6, at: 0x1000, size: 0x100)]
        file.addNote("GNU", type: 3, contents: Array(1...20))
        file.add([Symbol("one", at: 0x1000, size: 16), Symbol("$x", at: 0x1010, type: 0)])
        file.sections += [
            Section(".gnu_debuglink", contents: Array("a.debug\0".utf8) + [1, 2, 3, 4]),
            Section(".gnu_debugaltlink", contents: Array("a\0".utf8) + [1, 2]),
            Section(
                ".debug_info", flags: 0x800,
                contents: file.compressed(zlibStream([1, 2, 3]), type: 1, size: 3)),
        ]
        return file
    }
}
