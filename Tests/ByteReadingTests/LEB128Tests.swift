import ByteReading
import TestSupport
import Testing

@Suite("LEB128 numbers in arrays")
struct LEB128Tests {
    @Test(
        "are read as they were written",
        arguments: [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, UInt64(Int64.max), .max])
    func roundTrip(number: UInt64) {
        var bytes: [UInt8] = [0xff]
        bytes.append(uleb128: number)
        bytes.append(0xff)
        var position = 1
        #expect(bytes.uleb128(at: &position, before: bytes.count) == number)
        #expect(position == bytes.count - 1)
        position = 1
        #expect(bytes.uleb128(at: &position, before: bytes.count - 2) == nil)
    }

    @Test("are found in a slice by its own indexes")
    func slice() {
        let bytes: [UInt8] = [0, 0, 0x80, 0x01, 0]
        var position = 2
        #expect(bytes[2...].uleb128(at: &position, before: 5) == 128)
        #expect(position == 4)
        var rest = bytes[2...]
        #expect(rest.popULEB128() == 128)
        #expect(rest == [0])
    }

    @Test("have at most ten bytes, and lose the bits beyond the 64th")
    func long() {
        let ten = [UInt8](repeating: 0xff, count: 9) + [0x7f]
        var position = 0
        #expect(ten.uleb128(at: &position, before: 10) == .max)
        let eleven = [UInt8](repeating: 0x80, count: 10) + [0]
        position = 0
        #expect(eleven.uleb128(at: &position, before: 11) == nil)
    }
}
