import TestSupport
import Testing

@testable import DebuginfodServer

@Suite("Sections of stored ELF files")
struct ELFSectionRangesTests {
    private func ranges(_ file: [UInt8]) -> ELFSectionRanges {
        ELFSectionRanges(fileSize: UInt64(file.count)) { range in
            Array(
                file[
                    min(Int(range.lowerBound), file.count)..<min(Int(range.upperBound), file.count)]
            )
        }
    }

    private func file(is64Bit: Bool, bigEndian: Bool) -> ELFBuilder {
        var file = ELFBuilder.library()
        file.is64Bit = is64Bit
        file.bigEndian = bigEndian
        file.sections.append(.init(".debug_line", contents: [7, 8, 9]))
        file.sections.append(.init(".bss", size: 64))
        return file
    }

    @Test("a section's range has its bytes", arguments: [true, false], [true, false])
    func bytes(is64Bit: Bool, bigEndian: Bool) throws {
        let bytes = file(is64Bit: is64Bit, bigEndian: bigEndian).bytes()
        let range = try #require(try ranges(bytes).range(of: ".debug_line"))
        try #require(range.upperBound <= bytes.count)
        #expect(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]) == [7, 8, 9])
    }

    @Test("a section without bytes, a part of a name and an unknown name have no range")
    func absent() throws {
        let bytes = file(is64Bit: true, bigEndian: false).bytes()
        for name in [".bss", ".debug", ".debug_line2", ".debug_info", ""] {
            #expect(try ranges(bytes).range(of: name)?.isEmpty ?? true, "\(name)")
        }
    }

    @Test("a truncated or damaged file has a range inside it or none", arguments: UInt64(0)..<64)
    func damage(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        var bytes = file(is64Bit: seed % 2 == 0, bigEndian: seed % 4 < 2).bytes()
        for _ in 0..<4 {
            bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(
                in: 0 ... .max, using: &numbers)
        }
        bytes.removeLast(Int.random(in: 0..<bytes.count, using: &numbers))
        for name in [".debug_line", ".text", ""] {
            guard let range = try ranges(bytes).range(of: name) else { continue }
            #expect(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        }
    }

    @Test("a file that declares too many sections has none")
    func tooMany() throws {
        var bytes = file(is64Bit: true, bigEndian: false).bytes()
        // No count in the header, and one past the limit in section 0.
        bytes[60] = 0
        bytes[61] = 0
        let table = (0..<8).reduce(0) { $0 | Int(bytes[40 + $1]) << (8 * $1) }
        let count = ELFSectionRanges.headersLimit / 64 + 1
        for place in 0..<8 { bytes[table + 32 + place] = UInt8(count >> (8 * place) & 0xff) }
        #expect(try ranges(bytes).range(of: ".debug_line") == nil)
    }
}
