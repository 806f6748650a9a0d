import CallStacks
import Testing

@testable import Atos

@Suite("Numbers of atos")
struct AtosNumberTests {
    @Test(
        "0x and letters mean hexadecimal, digits alone decimal",
        arguments: [
            ("0x104a2fab3", 0x1_04a2_fab3), ("0X10", 16), ("4372757171", 4_372_757_171),
            ("104a2fab3", 0x1_04a2_fab3), ("FF", 255), ("0", 0), ("0xffffffffffffffff", .max),
            ("18446744073709551615", .max),
        ] as [(String, UInt64)])
    func addresses(text: String, value: UInt64) {
        #expect(AtosNumber(text.utf8)?.value == value)
    }

    @Test(
        "a string that is not a 64-bit number is rejected",
        arguments: [
            "", "0x", "x", "main", "+5", "-5", "0x-5", "1 2", "0x10000000000000000",
            "18446744073709551616", "0x0x1", "٣",
        ])
    func invalidNumbers(text: String) {
        #expect(AtosNumber(text.utf8) == nil)
    }

    @Test(
        "a load address is hexadecimal with 0x or without",
        arguments: [
            ("0x104a2c000", 0x1_04a2_c000), ("104a2c000", 0x1_04a2_c000), ("10", 16), ("xy", nil),
            ("", nil),
        ] as [(String, UInt64?)])
    func hexadecimal(text: String, value: UInt64?) {
        #expect(AtosNumber(hexadecimal: text.utf8)?.value == value)
    }

    @Test("a number is relative to the start of the image at any address")
    func placement() {
        let base = LinkAddress(0x1_0000_0000)
        func offset(_ placement: AtosAddressSpace, _ number: UInt64) -> UInt64? {
            placement.offset(of: number, base: base)?.rawValue
        }
        #expect(offset(.linked, 0x1_0000_0004) == 4)
        #expect(offset(.loaded(at: 0x1_04a2_c000), 0x1_04a2_c004) == 4)
        #expect(offset(.slid(by: 0x4a2_c000), 0x1_04a2_c004) == 4)
        #expect(offset(.offsets, 4) == 4)
        #expect(offset(.linked, 4) == nil)
        #expect(offset(.loaded(at: 8), 7) == nil)
        #expect(offset(.slid(by: .max), .max) == nil)
    }
}
