import ByteReading
import CallStacks
import SymbolIndexes
import Testing

@Suite struct NotesTests {
    @Test("notes are read back sorted and distinct, for any texts")
    func roundTrip() throws {
        let notes = IndexNotes(
            producers: ["b \"quoted\\\" é", "a\u{0}\n", "a\u{0}\n"], dwarfVersions: [5, 2, 5],
            unitsRead: 3, unitsFailed: 2, failures: ["z", "y"], warnings: [],
            hasDebugInformation: false)
        let index = try index(builder(), notes: notes)
        var expected = notes
        expected.producers = ["a\u{0}\n", "b \"quoted\\\" é"]
        expected.dwarfVersions = [2, 5]
        expected.failures = ["y", "z"]
        #expect(try index.notes() == expected)
        #expect(index.flags == [.symbolTableOnly, .unitsFailed])
        #expect(index.isSymbolTableOnly)
    }

    @Test("failures are kept up to the limit, and all are counted")
    func manyFailures() throws {
        let failures = (0...IndexNotes.listLimit).map { "unit \($0)" }
        let index = try index(
            builder(), notes: IndexNotes(unitsFailed: failures.count, failures: failures))
        #expect(try index.notes().failures.count == IndexNotes.listLimit)
        #expect(try index.notes().unitsFailed == IndexNotes.listLimit + 1)
    }

    @Test("the digest of the debug file is read back, and zeros are none")
    func digest() throws {
        let digest = [UInt8](1...32)
        let bytes = try builder().encode(notes: IndexNotes(), debugFileDigest: digest)
        #expect(try SymbolIndex(FileBytes(bytes)).debugFileDigest == digest)
        #expect(try index(builder()).debugFileDigest == nil)
    }

    @Test("the size of the text is read back", arguments: [0, 0x4000, .max] as [UInt64])
    func textSize(size: UInt64) throws {
        var image = exampleImage
        image.textSize = size
        let builder = SymbolIndexBuilder(
            image: image, layout: ImageLayout(base: image.base, code: []))
        let index = try SymbolIndex(FileBytes(try builder.encode(notes: IndexNotes())))
        #expect(index.image.textSize == size)
    }

    @Test("loaded segments are read back; more than fit into the header are left out")
    func segments() throws {
        func segment(_ number: UInt64) -> ImagePlacement.Segment {
            .init(
                fileOffset: number, address: LinkAddress(.max - number), size: number << 32 | number
            )
        }
        func read(_ count: UInt64) throws -> [ImagePlacement.Segment] {
            let image = IndexedImage(
                id: exampleImage.id, identityKind: .buildID, architecture: .elfARM64,
                base: LinkAddress(0), segments: (0..<count).map(segment))
            return try index(
                SymbolIndexBuilder(image: image, layout: ImageLayout(base: image.base, code: []))
            ).image.segments
        }
        #expect(try read(0) == [])
        #expect(try read(6) == (0..<6).map(segment))
        #expect(try read(7) == [])
    }

    @Test("identities of 1, 16 and 32 bytes", arguments: [1, 16, 20, 32])
    func identities(length: Int) throws {
        let image = IndexedImage(
            id: ImageID(bytes: [UInt8](repeating: 0xab, count: length))!,
            identityKind: .buildID, architecture: .elfARM64, base: LinkAddress(1 << 63))
        let builder = SymbolIndexBuilder(
            image: image, layout: ImageLayout(base: image.base, code: []))
        #expect(try index(builder).image == image)
    }
}
