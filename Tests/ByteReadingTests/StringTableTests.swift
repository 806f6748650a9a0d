import ByteReading
import Testing

@Suite("String tables")
struct StringTableTests {
    @Test("a string extends from its offset to the next zero, also inside another string")
    func texts() throws {
        var table = StringTable(FileBytes(Array("\0main\0rest".utf8)))
        #expect(try table.textRange(at: 0) == 0..<0)
        #expect(try table.textRange(at: 1) == 1..<5)
        #expect(try table.textRange(at: 3) == 3..<5)
    }

    @Test("a string outside the table or without an end is not found")
    func damaged() throws {
        var table = StringTable(FileBytes(Array("a\0rest".utf8)))
        for offset in [2, 6, 7, .max] as [UInt64] {
            #expect(try table.textRange(at: offset) == nil)
        }
    }

    @Test("a string of the maximum length is read, and one byte more is not")
    func length() throws {
        let limit = StringTable.textBytesLimit
        for (count, isText) in [(limit, true), (limit + 1, false)] {
            var table = StringTable(FileBytes([UInt8](repeating: 1, count: count) + [0]))
            #expect((try table.textRange(at: 0) != nil) == isText)
        }
    }

    @Test("reading more from a table than its limit is an error")
    func budget() throws {
        let text = [UInt8](repeating: 1, count: 1 << 15)
        var table = StringTable(FileBytes(text + [0]))
        for _ in 0..<StringTable.freeBytes / text.count { _ = try table.textRange(at: 0) }
        #expect(throws: ReadingError.self) { try table.textRange(at: 0) }
    }
}
