import ByteReading
import TestSupport
import Testing

@Suite("Reading bytes")
struct ByteCursorTests {
    @Test("numbers are read in either byte order, aligned or not")
    func numbers() throws {
        let bytes = FileBytes([0xff, 1, 2, 3, 4, 5, 6, 7, 8])
        #expect(try bytes.number(UInt32.self, at: 1) == 0x0403_0201)
        #expect(try bytes.number(UInt32.self, at: 1, bigEndian: true) == 0x0102_0304)
        var cursor = ByteCursor(bytes, at: 1)
        #expect(try cursor.unsigned(size: 3) == 0x03_0201)
        #expect(try cursor.unsigned(size: 1) == 4)
        var big = ByteCursor(bytes, at: 1, bigEndian: true)
        #expect(try big.unsigned(size: 3) == 0x01_0203)
        #expect(throws: ReadingError.self) { try big.unsigned(size: 5) }
    }

    @Test("an error has the position and the sizes")
    func places() {
        let bytes = FileBytes([0, 0, 0], subject: "load commands")
        #expect(throws: ReadingError(.needs(bytes: 8, has: 1), in: "load commands", at: 2)) {
            try bytes.number(UInt64.self, at: 2)
        }
        #expect(throws: ReadingError(.needs(bytes: 1, has: 0), in: "load commands", at: .max)) {
            try bytes.number(UInt8.self, at: .max)
        }
        let error = ReadingError(.numberTooLarge, in: ".debug_abbrev", at: 0x1a4)
        #expect("\(error)" == ".debug_abbrev+0x1a4: LEB128 number is longer than 10 bytes")
    }

    @Test(
        "the standard's examples of LEB128 numbers are read",
        arguments: [
            ([2], 2), ([127], 127), ([0x80, 1], 128), ([0x81, 1], 129), ([0xb9, 0x64], 12857),
            ([0x80, 0x80, 0x00], 0),
        ] as [([UInt8], UInt64)])
    func unsignedExamples(bytes: [UInt8], value: UInt64) throws {
        var cursor = ByteCursor(FileBytes(bytes))
        #expect(try cursor.uleb128() == value)
        #expect(cursor.isAtEnd)
    }

    @Test(
        "the standard's examples of signed LEB128 numbers are read",
        arguments: [
            ([2], 2), ([0x7e], -2), ([0xff, 0], 127), ([0x81, 0x7f], -127), ([0x80, 1], 128),
            ([0x80, 0x7f], -128),
        ] as [([UInt8], Int64)])
    func signedExamples(bytes: [UInt8], value: Int64) throws {
        var cursor = ByteCursor(FileBytes(bytes))
        #expect(try cursor.sleb128() == value)
    }

    @Test("encoded LEB128 numbers are decoded to the same values", arguments: UInt64(0)..<100)
    func lebRoundTrip(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let value = numbers.next() >> UInt64.random(in: 0...63, using: &numbers)
        var cursor = ByteCursor(FileBytes(uleb128(value)))
        #expect(try cursor.uleb128() == value)
        let signed = Int64(bitPattern: value)
        var other = ByteCursor(FileBytes(sleb128(signed)))
        #expect(try other.sleb128() == signed)
    }

    @Test("a LEB128 number of ten bytes is read, and its excess bits are ignored")
    func lebExcess() throws {
        let low = [UInt8](repeating: 0x80, count: 9)
        for (last, value) in [(0, 0), (1, 1 << 63), (0x7f, 1 << 63)] as [(UInt8, UInt64)] {
            var cursor = ByteCursor(FileBytes(low + [last]))
            #expect(try cursor.uleb128() == value)
            var other = ByteCursor(FileBytes(low + [last]))
            #expect(try other.sleb128() == Int64(bitPattern: value))
        }
    }

    @Test(
        "a LEB128 number of eleven bytes, or without an end, is an error",
        arguments: [1, 9, 10, 11, 400])
    func lebTooLong(count: Int) {
        let start = [UInt8](repeating: 0x80, count: count)
        let bytes = FileBytes(count < 10 ? start : start + [0])
        var cursor = ByteCursor(bytes)
        #expect(throws: ReadingError.self) { try cursor.uleb128() }
        var other = ByteCursor(bytes)
        #expect(throws: ReadingError.self) { try other.sleb128() }
    }

    @Test("strings end at a zero, within their limit")
    func texts() throws {
        var cursor = ByteCursor(FileBytes(Array("ab\0cd".utf8), subject: ".debug_str"))
        #expect(try cursor.text() == "ab")
        #expect(throws: ReadingError(.unterminatedText, in: ".debug_str", at: 3)) {
            try cursor.text()
        }
        let long = FileBytes([UInt8](repeating: 65, count: 11) + [0])
        #expect(try long.textRange(at: 0, limit: 11) == 0..<11)
        #expect(throws: ReadingError(.textTooLong(limit: 10), in: "file", at: 0)) {
            try long.textRange(at: 0, limit: 10)
        }
    }

    @Test("a slice has its own bytes and name")
    func slices() throws {
        let slice = try FileBytes([1, 2, 3, 4]).slice(at: 1, count: 2, subject: "part")
        #expect(slice.count == 2)
        #expect(try slice.number(UInt16.self, at: 0) == 0x0302)
        #expect(throws: ReadingError(.needs(bytes: 1, has: 0), in: "part", at: 2)) {
            try slice.number(UInt8.self, at: 2)
        }
        #expect(throws: ReadingError.self) {
            try slice.slice(at: 1, count: .max, subject: "overflow")
        }
    }

    private func uleb128(_ value: UInt64) -> [UInt8] {
        var rest = value
        var bytes: [UInt8] = []
        repeat {
            bytes.append(UInt8(rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
            rest >>= 7
        } while rest != 0
        return bytes
    }

    private func sleb128(_ value: Int64) -> [UInt8] {
        var rest = value
        var bytes: [UInt8] = []
        while true {
            let byte = UInt8(rest & 0x7f)
            rest >>= 7
            if rest == (byte & 0x40 == 0 ? 0 : -1) { return bytes + [byte] }
            bytes.append(byte | 0x80)
        }
    }
}
