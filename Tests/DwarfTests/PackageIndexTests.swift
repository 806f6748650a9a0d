import ByteReading
import TestSupport
import Testing

@testable import Dwarf

@Suite("Indexes of packages")
struct PackageIndexTests {
    /// Three units. The ids of two hash to the same slot.
    private static let ids: [UInt64] = [0x1_0000_0001, 0x3_0000_0001, 2]

    private static var builder: PackageBuilder {
        var builder = PackageBuilder()
        builder.columns = [1, 3, 8]
        for (number, id) in ids.enumerated() {
            let base = UInt32(number) * 100
            let parts: [(offset: UInt32, size: UInt32)] = [
                (base, 10), (base + 1, 20), (base + 2, 30),
            ]
            builder.units.append(PackageBuilder.Unit(id: id, parts: parts))
        }
        return builder
    }

    private func parts(
        _ bytes: [UInt8], _ id: UInt64, bigEndian: Bool = false
    ) throws -> [String]? {
        let index = try PackageIndex(FileBytes(bytes), isBigEndian: bigEndian)
        return try index.parts(of: id)?.map { "\($0.section) \($0.range)" }
    }

    @Test("units are found by their ids, even if slots collide", arguments: [false, true])
    func units(bigEndian: Bool) throws {
        let bytes = Self.builder.bytes(bigEndian: bigEndian)
        func parts(_ id: UInt64) throws -> [String]? {
            try self.parts(bytes, id, bigEndian: bigEndian)
        }
        #expect(try parts(0x1_0000_0001) == ["info 0..<10", "abbrev 1..<21", "rnglists 2..<32"])
        #expect(
            try parts(0x3_0000_0001) == [
                "info 100..<110", "abbrev 101..<121", "rnglists 102..<132",
            ])
        #expect(try parts(2)?.first == "info 200..<210")
        #expect(try parts(1) == nil)
        #expect(try parts(3) == nil)
    }

    @Test("GNU's index has another version and other column numbers")
    func oldVersion() throws {
        var builder = PackageBuilder()
        builder.version = 2
        builder.columns = [1, 2, 3, 4, 5, 6, 7, 8]
        builder.units = [.init(id: 7, parts: (0..<8).map { ($0, 1) })]
        #expect(
            try parts(builder.bytes(), 7) == ["info 0..<1", "abbrev 2..<3", "strOffsets 5..<6"])
        builder.version = 5
        #expect(try parts(builder.bytes(), 7)?.last == "rnglists 7..<8")
    }

    @Test("an index without units is empty, and other versions are rejected")
    func empty() throws {
        var builder = PackageBuilder()
        builder.slotCount = 0
        builder.columns = []
        #expect(try parts(builder.bytes(), 0) == nil)
        builder.version = 6
        #expect(throws: ReadingError.self) { try parts(builder.bytes(), 0) }
    }

    @Test("a search in a table without a free slot ends")
    func fullTable() throws {
        var builder = PackageBuilder()
        builder.units = (1...4).map { .init(id: $0, parts: [(0, 1)]) }
        #expect(try parts(builder.bytes(), 4) == ["info 0..<1"])
        #expect(try parts(builder.bytes(), 0xffff_ffff_ffff_fff0) == nil)
    }

    @Test("a search looks at no more slots than the limit")
    func longSearch() throws {
        var builder = PackageBuilder()
        builder.slotCount = UInt32(2 * PackageIndex.probesLimit)
        // All hash to the first slot, and are stored one after another.
        builder.units = (1...PackageIndex.probesLimit + 1).map {
            .init(id: $0 * UInt64(builder.slotCount), parts: [(0, 1)])
        }
        let bytes = builder.bytes()
        let last = PackageIndex.probesLimit * UInt64(builder.slotCount)
        #expect(try parts(bytes, last) == ["info 0..<1"])
        #expect(try parts(bytes, last + UInt64(builder.slotCount)) == nil)
    }

    @Test("a row past the last one is an error")
    func falseRow() throws {
        var builder = PackageBuilder()
        builder.units = [.init(id: 1, parts: [(0, 1)])]
        builder.falseRows = [1: 2]
        #expect(throws: ReadingError.self) { try parts(builder.bytes(), 1) }
    }

    @Test("impossible counts are errors")
    func counts() throws {
        let good = Self.builder.bytes()
        // More units than slots, a slot count that is not a power of two, more than the section
        // has.
        for (place, count) in [(8, UInt32(5)), (12, 3), (12, 1 << 31), (8, .max), (4, 17)] {
            var bytes = good
            bytes.replaceSubrange(place..<place + 4, with: little(count))
            #expect(throws: ReadingError.self) { try parts(bytes, 2) }
        }
        var columns = PackageBuilder()
        columns.columns = [UInt32](repeating: 1, count: Int(PackageIndex.columnsLimit))
        columns.units = [.init(id: 1, parts: columns.columns.map { _ in (0, 1) })]
        #expect(try parts(columns.bytes(), 1)?.count == Int(PackageIndex.columnsLimit))
    }

    @Test("any prefix is an error, and damage never traps")
    func damage() throws {
        let good = Self.builder.bytes()
        for count in good.indices {
            #expect(throws: ReadingError.self) { try parts(Array(good.prefix(count)), 2) }
        }
        var numbers = SplitMix64(seed: 9)
        for _ in 0..<2_000 {
            var bytes = good
            for _ in 0..<3 {
                bytes[Int.random(in: bytes.indices, using: &numbers)] =
                    [0, 1, 0x7f, 0x80, 0xff].randomElement(using: &numbers)!
            }
            for id in Self.ids { _ = try? parts(bytes, id) }
        }
    }
}
