import ByteReading
import CallStacks
import Testing

@testable import SymbolIndexes

@Suite struct ChecksumTests {
    @Test("the check value of CRC-32C and the vectors of RFC 3720, B.4")
    func knownValues() {
        #expect(CRC32C.of(Array("123456789".utf8).span) == 0xe306_9283)
        #expect(CRC32C.of([UInt8](repeating: 0, count: 32).span) == 0x8a91_36aa)
        #expect(CRC32C.of([UInt8](repeating: 0xff, count: 32).span) == 0x62a8_ab43)
        #expect(CRC32C.of([UInt8](0..<32).span) == 0x46dd_794e)
        #expect(CRC32C.of([UInt8]().span) == 0)
    }
}
