import CallStacks
import Testing

@Suite("Addresses")
struct AddressTests {
    @Test("only a return address is moved back, by one byte")
    func callSites() {
        let offset = ImageOffset(46380)
        #expect(CallSite.programCounter(offset).lookupOffset == offset)
        #expect(CallSite.adjusted(offset).lookupOffset == offset)
        #expect(CallSite.returnAddress(offset).lookupOffset == ImageOffset(46379))
        #expect(CallSite.returnAddress(offset).offset == offset)
        #expect(CallSite.returnAddress(ImageOffset(0)).lookupOffset == ImageOffset(0))
    }

    @Test("a code range is entirely inside one section")
    func codeRanges() {
        let layout = ImageLayout(
            base: LinkAddress(0x1_0000_0000),
            code: [range(0x4000, 0x5000), range(0x1000, 0x2000), range(0x1800, 0x3000)])
        #expect(layout.code == [range(0x1000, 0x2000), range(0x4000, 0x5000)])
        #expect(code(layout, 0x1_0000_1000, 0x1_0000_2000) == range(0x1000, 0x2000))
        #expect(code(layout, 0x1_0000_1fff, 0x1_0000_2001) == nil)
        #expect(code(layout, 0x1_0000_2000, 0x1_0000_2001) == nil)
        #expect(code(layout, 0x1_0000_1000, 0x1_0000_1000) == nil)
        #expect(code(layout, 0, 0x1000) == nil)
        #expect(code(layout, .max - 1, .max) == nil)
    }

    @Test("the section of an offset is found at its first and last byte only")
    func sections() {
        let layout = ImageLayout(
            base: LinkAddress(0), code: [range(16, 32), range(32, 48), range(64, 65)])
        #expect(layout.section(containing: ImageOffset(15)) == nil)
        #expect(layout.section(containing: ImageOffset(31)) == range(16, 32))
        #expect(layout.section(containing: ImageOffset(32)) == range(32, 48))
        #expect(layout.section(containing: ImageOffset(64)) == range(64, 65))
        #expect(layout.section(containing: ImageOffset(65)) == nil)
    }

    @Test(
        "an architecture is found by its own name",
        arguments: [
            "arm64", "arm64e", "arm64_32", "armv7", "armv7s", "armv7k", "x86_64", "x86_64h", "i386",
            "aarch64",
        ])
    func architectureNames(name: String) throws {
        #expect(try #require(Architecture(name: name)).name == name)
    }

    @Test("capability bits do not change an architecture")
    func capabilityBits() {
        #expect(Architecture(cpuType: 0x0100_000c, cpuSubtype: 0x8000_0002) == .arm64e)
        #expect(Architecture(cpuType: 0x0100_000c, cpuSubtype: 77).name == "arm64-77")
        #expect(Architecture(cpuType: 99, cpuSubtype: 1).name == "cpu-99-1")
    }

    @Test(
        "a path is joined by the separator of its folder",
        arguments: [
            ("/Users/ci", "a.swift", "/Users/ci/a.swift"), ("/", "a.c", "/a.c"), ("", "a.c", "a.c"),
            ("C:\\src", "a.c", "C:\\src\\a.c"), ("C:\\", "a.c", "C:\\a.c"), ("x", "a.c", "x/a.c"),
        ])
    func paths(folder: String, name: String, path: String) {
        #expect(SourceFile(folder: folder, name: name).path == path)
    }

    private func range(_ first: UInt64, _ end: UInt64) -> Range<ImageOffset> {
        ImageOffset(first)..<ImageOffset(end)
    }

    private func code(
        _ layout: ImageLayout, _ first: UInt64, _ end: UInt64
    ) -> Range<ImageOffset>? {
        layout.codeRange(from: LinkAddress(first), to: LinkAddress(end))
    }
}
