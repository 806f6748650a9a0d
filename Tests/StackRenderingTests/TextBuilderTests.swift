import Testing

@testable import StackRendering

@Suite("Numbers in texts")
struct TextBuilderTests {
    private static let numbers: [UInt64] =
        [0, 9, 10, 99, 100, .max, .max - 1, 1 << 63] + (0..<64).map { 1 << $0 }

    @Test("numbers have the digits of the standard library", arguments: numbers)
    func digits(number: UInt64) {
        var text = TextBuilder()
        text.add(number)
        text.add(" ")
        text.add(hex: number)
        #expect(text.text == "\(number) 0x\(String(number, radix: 16))")
        #expect(hex(number) == "0x\(String(number, radix: 16))")
    }

    @Test("hexadecimal numbers are padded with zeros")
    func padding() {
        var text = TextBuilder()
        text.add(hex: 0x1a2b, width: 16)
        text.add(hex: 0x1a2b, width: 4)
        text.add(hex: 0x1a2b, width: 3)
        text.add(hex: 0, width: 2)
        #expect(text.text == "0x0000000000001a2b" + "0x1a2b" + "0x1a2b" + "0x00")
    }

    @Test("negative numbers are written as 0")
    func negative() {
        var text = TextBuilder()
        text.add(-1)
        #expect(text.text == "0")
    }
}
