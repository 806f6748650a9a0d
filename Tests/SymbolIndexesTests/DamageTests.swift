import ByteReading
import CallStacks
import SymbolIndexes
import TestSupport
import Testing

@Suite struct DamageTests {
    @Test("any byte changed: an error or an answer, and verification finds it")
    func everyByte() throws {
        let whole = try exampleBytes()
        for place in whole.indices {
            var bytes = whole
            bytes[place] ^= 1 << UInt8(place % 8)
            let index = FileBytes(bytes)
            #expect(throws: SymbolIndexError.self, "byte \(place)") {
                try SymbolIndex(index).verify()
            }
            readEverything(index)
        }
    }

    @Test("any byte changed, with a header that fits: no lookup traps", arguments: UInt64(0)..<20)
    func soundHeader(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let whole = try exampleBytes()
        for _ in 0..<200 {
            var bytes = whole
            for _ in 0..<3 {
                let place = Int.random(in: 12..<bytes.count, using: &numbers)
                bytes[place] = UInt8.random(in: 0...255, using: &numbers)
            }
            writeHeaderChecksum(into: &bytes)
            readEverything(FileBytes(bytes))
        }
    }

    /// The nearest line is told by its distance from the last byte of an entry before: from the end
    /// of that one minus 1, which trapped.
    @Test("a block that starts at 0 behind another one is damage, not an entry that ends at 0")
    func blockAtZero() throws {
        var builder = builder()
        var function = FunctionRecord()
        function.ranges = [range(0, 400)]
        // The second block begins with a line that is not a real one.
        for number in UInt32(0)..<100 {
            let line = number == 32 ? 0 : number + 1
            function.rows.append(builder.row(UInt64(number) * 4, "a.c", line))
        }
        builder.add(function)
        var bytes = try builder.encode(notes: IndexNotes())
        let blockStarts = Int(bytes[184]) | Int(bytes[185]) << 8
        try #require(bytes[blockStarts + 4] == 128)
        bytes[blockStarts + 4] = 0
        let index = try SymbolIndex(FileBytes(bytes))
        let errors = [
            #expect(throws: SymbolIndexError.self) { try index.dump() },
            #expect(throws: SymbolIndexError.self) {
                try index.nearestLine(at: ImageOffset(0), depth: 0)
            },
        ]
        #expect(errors.allSatisfy { $0?.reason == .corrupt(.blockStarts, at: 0) })
    }

    @Test("any truncation is an error at opening")
    func everyTruncation() throws {
        let whole = try exampleBytes()
        for length in whole.indices {
            #expect(throws: SymbolIndexError.self, "\(length) bytes") {
                try SymbolIndex(FileBytes(whole[..<length]))
            }
        }
        #expect(throws: SymbolIndexError.self) { try SymbolIndex(FileBytes(whole + [0])) }
    }

    @Test("an index of another version is refused, one of another revision is not current")
    func versions() throws {
        var bytes = try exampleBytes()
        #expect(try SymbolIndex(FileBytes(bytes)).isCurrent)
        bytes[10] ^= 0xff
        writeHeaderChecksum(into: &bytes)
        #expect(try !SymbolIndex(FileBytes(bytes)).isCurrent)
        bytes[8] = 2
        let error = #expect(throws: SymbolIndexError.self) { try SymbolIndex(FileBytes(bytes)) }
        #expect(
            error?.description == "index: version 2 is not readable, only 1: build it again")
    }

    @Test("other bytes are not an index")
    func otherBytes() throws {
        for bytes in [[], [0x53], Array("SYMIDX".utf8), [UInt8](repeating: 0, count: 1024)] {
            let error = #expect(throws: SymbolIndexError.self) {
                try SymbolIndex(FileBytes(bytes))
            }
            #expect(error?.reason == .notAnIndex)
        }
    }

    private func exampleBytes() throws -> [UInt8] {
        var numbers = SplitMix64(seed: 8)
        let model = CodeModel.random(&numbers)
        return try model.builder(of: model.records).encode(
            notes: IndexNotes(producers: ["clang"], warnings: ["none \"at\" all"]))
    }

    /// Asks all that can be asked; answers and errors are equally welcome.
    private func readEverything(_ bytes: FileBytes) {
        guard let index = try? SymbolIndex(bytes) else { return }
        for offset in [0, 1, 100, 200, 279, 280, 1 << 20, 1 << 32, .max] as [UInt64] {
            _ = try? index.frames(at: ImageOffset(offset))
            _ = try? index.nearestLine(at: ImageOffset(offset), depth: 1)
        }
        var copied = CopiedAnswer()
        for offset in stride(from: UInt64(0), to: 280, by: 11) {
            _ = try? index.frames(at: ImageOffset(offset))
            _ = try? index.copyFrames(at: ImageOffset(offset), into: &copied)
        }
        _ = try? index.dump()
        _ = try? index.notes()
        for number in [0, 7, .max] as [UInt32] {
            _ = try? index.name(IndexedName(rawValue: number))
            _ = try? index.file(IndexedFile(rawValue: number))
        }
    }

    /// The bitwise definition of CRC-32C, independent of the tables under test.
    private func writeHeaderChecksum(into bytes: inout [UInt8]) {
        bytes.replaceSubrange(24..<28, with: [0, 0, 0, 0])
        var checksum: UInt32 = ~0
        for byte in bytes[..<512] {
            checksum ^= UInt32(byte)
            for _ in 0..<8 {
                checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0x82f6_3b78 : 0)
            }
        }
        for index in 0..<4 {
            bytes[24 + index] = UInt8(truncatingIfNeeded: ~checksum >> UInt32(8 * index))
        }
    }
}
