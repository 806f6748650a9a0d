import ByteReading
import CallStacks
import IndexSupport
import TestSupport
import Testing

@testable import SymbolIndexes

@Suite struct DamageTests {
    @Test("any changed byte results in an error or a result, and verification finds it")
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

    @Test("any flipped bit results in an error or the result of the intact index")
    func everyBit() throws {
        var builder = builder(codeSize: 256)
        var function = FunctionRecord()
        function.name = builder.name("outer")
        function.ranges = [range(0, 64)]
        function.calls = [
            InlinedCall(
                name: builder.name("inner"), parent: nil, site: builder.position("b.c", 7, 300))
        ]
        function.intervals = [InlinedInterval(range: range(16, 32), call: 0)]
        function.rows = [builder.row(0, "a.c", 1), builder.row(16, "b.c", 2, 260), endRow(64)]
        builder.add(function)
        builder.addSymbol("last", 128, 160)
        let whole = try builder.encode(notes: IndexNotes(producers: ["clang"]))
        let answers = try answers(of: whole)
        for place in whole.indices {
            for bit in 0..<8 {
                var bytes = whole
                bytes[place] ^= 1 << UInt8(bit)
                guard let damaged = try? self.answers(of: bytes) else { continue }
                #expect(damaged == answers, "bit \(bit) of byte \(place)")
            }
        }
    }

    @Test("damage that a lookup does not read does not affect it")
    func untouchedDamage() throws {
        var builder = builder()
        for number in UInt64(0)..<2000 { builder.addSymbol("f\(number)", number * 16, nil) }
        var bytes = try builder.encode(notes: IndexNotes())
        let blocks = try SymbolIndex(FileBytes(bytes)).header[.blocks]
        bytes[Int(blocks.offset + blocks.length) - 1] ^= 1
        let index = try SymbolIndex(FileBytes(bytes))
        #expect(try index.frames(at: ImageOffset(0))?.frames.first?.function == "f0")
        let error = #expect(throws: SymbolIndexError.self) {
            try index.frames(at: ImageOffset(1999 * 16))
        }
        #expect(error?.reason == .checksum(.blocks))
    }

    @Test(
        "no lookup traps if any byte is changed and the checksums match", arguments: UInt64(0)..<20)
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
            readEverything(FileBytes(repaired(bytes)))
        }
    }

    /// The nearest line is found by its distance from the last byte of an earlier entry, which is
    /// the entry's end minus 1. This once trapped.
    @Test("a block that starts at 0 after another one is damage, not an entry that ends at 0")
    func blockAtZero() throws {
        var builder = builder()
        var function = FunctionRecord()
        function.ranges = [range(0, 400)]
        // The second block begins with line 0, which is not a line of the source.
        for number in UInt32(0)..<100 {
            let line = number == 32 ? 0 : number + 1
            function.rows.append(builder.row(UInt64(number) * 4, "a.c", line))
        }
        builder.add(function)
        var bytes = try builder.encode(notes: IndexNotes())
        let blockStarts = Int(bytes[176]) | Int(bytes[177]) << 8
        try #require(bytes[blockStarts + 4] == 128)
        bytes[blockStarts + 4] = 0
        let index = try SymbolIndex(FileBytes(repaired(bytes)))
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
        bytes[8] = 3
        let error = #expect(throws: SymbolIndexError.self) { try SymbolIndex(FileBytes(bytes)) }
        #expect(
            error?.description == "index: unsupported version 3 (supported: 2): build it again")
    }

    @Test("a header with more segments than fit into it is refused")
    func segmentCount() throws {
        var bytes = try exampleBytes()
        bytes[352] = 7
        writeHeaderChecksum(into: &bytes)
        let error = #expect(throws: SymbolIndexError.self) { try SymbolIndex(FileBytes(bytes)) }
        #expect(error?.description.contains("7 segments do not fit") == true)
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

    /// The results of all lookup functions at all offsets.
    private func answers(of bytes: [UInt8]) throws -> [String] {
        let index = try SymbolIndex(FileBytes(bytes))
        var answers = try stride(from: UInt64(0), to: 290, by: 5).map { offset in
            let offset = ImageOffset(offset)
            return try "\(String(describing: index.frames(at: offset)))"
                + " \(String(describing: index.nearestLine(at: offset, depth: 0)))"
                + " \(index.callStarts(at: offset))"
        }
        answers.append("\(index.image) \(index.codeLimit) \(try index.notes())")
        return answers
    }

    /// Performs all lookups. Both results and errors are accepted.
    private func readEverything(_ bytes: FileBytes) {
        guard let index = try? SymbolIndex(bytes) else { return }
        for offset in [0, 1, 100, 200, 279, 280, 1 << 20, 1 << 32, .max] as [UInt64] {
            _ = try? index.frames(at: ImageOffset(offset))
            _ = try? index.nearestLine(at: ImageOffset(offset), depth: 1)
        }
        for offset in stride(from: UInt64(0), to: 280, by: 11) {
            _ = try? index.frames(at: ImageOffset(offset))
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
