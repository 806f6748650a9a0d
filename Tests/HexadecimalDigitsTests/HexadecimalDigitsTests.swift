import HexadecimalDigits
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalDigitsTests {
    @Test("every byte has two digits in lower case, and is read from them in either case")
    func bytes() {
        let bytes = Array(UInt8.min...UInt8.max)
        let digits = bytes.hexadecimal
        #expect(digits.hasPrefix("000102") && digits.hasSuffix("fdfeff"))
        #expect([UInt8](hexadecimal: digits) == bytes)
        #expect([UInt8](hexadecimal: digits.uppercased()) == bytes)
        #expect([].hexadecimal == "" && [UInt8](hexadecimal: "") == [])
    }

    @Test(
        "other text is refused", arguments: ["0", "0g", "+1", " 1", "0x", "١٢", "ä0", "/0", ":0"])
    func refused(text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }
}
