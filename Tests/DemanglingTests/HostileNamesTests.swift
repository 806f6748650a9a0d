import Demangling
import Testing

/// Names made to exhaust the demanglers: every one ends soon, in a text of bounded size.
@Suite("hostile names")
struct HostileNamesTests {
    /// An optional pair of the previous optional, repeated twice: seven bytes each double the text.
    static func doublingSwift(steps: Int) -> String {
        var name = "$sSi_SitSg"
        for step in 0..<steps {
            name += "_A\(UnicodeScalar(UInt8(ascii: "A") + UInt8(step)))tSg"
        }
        return name + "D"
    }

    /// A template argument with the previous one as both of its arguments.
    static func doublingCxx(steps: Int) -> String {
        var name = "_Z1f1AIiiE"
        for step in 0..<steps {
            let reference = String(step, radix: 36, uppercase: true) + "_"
            name += "S_IS\(reference)S\(reference)E"
        }
        return name
    }

    /// A pair of the previous pair, by back references to its position.
    static func doublingRust(steps: Int) -> String {
        var name = "_RIC1aTuuE"
        var last = name.utf8.count - 2 - 4
        for _ in 0..<steps {
            let here = name.utf8.count - 2
            let back = base62(last)
            name += "TB\(back)B\(back)E"
            last = here
        }
        return name + "E"
    }

    static func base62(_ value: Int) -> String {
        guard value > 0 else { return "_" }
        let digits = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        var rest = value - 1
        var text = ""
        repeat {
            text = String(digits[rest % 62]) + text
            rest /= 62
        } while rest > 0
        return text + "_"
    }

    static let someHostile = [
        doublingSwift(steps: 15), doublingSwift(steps: 24), doublingCxx(steps: 60),
        doublingRust(steps: 40), "$sxRvz", "_Z" + String(repeating: "1a", count: 4_000),
    ]

    @Test("a C++ name that doubles with every step is truncated", arguments: [10, 20, 60, 400])
    func cxxDoubling(steps: Int) {
        let text = Demangler().demangle(Self.doublingCxx(steps: steps)).text
        #expect(text.hasPrefix("f(A<int, int>, A<A<int, int>, A<int, int>>"))
        #expect(isTruncated(text))
    }

    @Test("a Rust name that doubles with every step is truncated", arguments: [12, 40, 400])
    func rustDoubling(steps: Int) {
        let text = Demangler().demangle(Self.doublingRust(steps: steps)).text
        #expect(text.hasPrefix("a::<((), ()), (((), ()), ((), ()))"))
        #expect(isTruncated(text))
    }

    /// Each binder declares 4,000 lifetimes in the path of an `impl`, which is not shown.
    @Test("lifetimes and Punycode that are not shown take no time")
    func rustSilent() {
        let count = 3_000
        let types = String(repeating: "FG12u_Eu", count: count)
        let identifier = "u1000_" + String(repeating: "a", count: 1_000)
        let path = "Ms_NvC1a" + identifier
        let back = "TYYu" + String(repeating: "B0_", count: 40) + "E"
        var budget = DemanglingBudget()
        for name in ["_RNvMs_IC1a\(types)Eu3foo", "_RI\(path)u\(back)E"] {
            _ = Demangler().demangle([name], budget: &budget)
        }
        _ = Demangler().demangle(["$s4main3fooyyF"], budget: &budget)
        #expect(!budget.isSpent)
    }

    /// The longest has 101 bytes, with 2.4 MB of text. It takes a small part of the time limit, so
    /// that the test also passes on a busy machine.
    @Test("a Swift name that doubles with every step is truncated", arguments: [12, 14, 15])
    func swiftDoubling(steps: Int) {
        let text = Demangler().demangle(Self.doublingSwift(steps: steps)).text
        #expect(text.hasPrefix("((("))
        #expect(isTruncated(text))
    }

    @Test("a Swift name that exceeds the child's limits stays mangled")
    func swiftOverLimit() {
        let name = Self.doublingSwift(steps: 24)
        #expect(Demangler().demangle(name).text == name)
    }

    private func isTruncated(_ text: String) -> Bool {
        text.utf8.count == Demangler.textBytesLimit + 3 && text.hasSuffix("…")
    }

    @Test(
        "nesting is bounded in names of any length",
        arguments: [
            ("_Z1f", "P", "i"), ("_Z1f", "DpDT", "i"), ("_Z1f", "F", "v"), ("_Z", "N", "1a"),
            ("_Z1fI", "X", "E"), ("_Z1fI", "J", "E"), ("_Z1fIX", "nt", "E"), ("_Z1fITt", "Tt", "E"),
            ("_Z1fU", "1aU", "i"), ("_ZTh", "Th0_", "1f"), ("_ZGR", "GR", "1f"), ("_ZZ", "Z", "1f"),
            ("_RI", "I", "C1aE"), ("_RYT", "T", "E"), ("_RNv", "Nv", "C1a1b"),
            ("_RMC1aR", "R", "u"),
            ("$sSi", "Sg", "D"), ("$s", "y", "D"), ("$sSi", "_t", "D"), ("$sSi", "m", "D"),
            ("$sSi", "z", "D"), ("$s1a", "1bC", "D"), ("$s4main3fooyyF", "TA", ""),
            ("_TtC", "C", "1a"),
            ("_ZN", "1a", "E"), ("_ZN", "1a", "17h0123456789abcdefE"), ("", ".cold", ""),
            ("", "_", ""),
        ])
    func nesting(start: String, middle: String, end: String) {
        for bytes in [1_000, 4_000, 60_000, 70_000] {
            let name = start + String(repeating: middle, count: bytes / middle.utf8.count) + end
            let text = Demangler().demangle(name).text
            #expect(text.utf8.count <= Demangler.textBytesLimit + 3)
        }
    }

    @Test("a name over the limit is shown mangled and truncated")
    func tooLong() {
        let name = "_Z" + String(repeating: "1a", count: Demangler.nameBytesLimit)
        let shown = Demangler().demangle(name)
        #expect(shown.text == String(name.prefix(Demangler.textBytesLimit)) + "…")
        #expect(shown.scheme == .none)
    }

    @Test("truncation does not split characters")
    func cutCharacters() {
        let name = String(repeating: "é", count: 3_000)
        #expect(Demangler().demangle(name).text == String(name.prefix(2_048)) + "…")
        let odd = "x" + name
        #expect(Demangler().demangle(odd).text == String(odd.prefix(2_048)) + "…")
    }

    @Test("a NUL does not end a name", arguments: ["$s4main3fooyyF\0x", "_Z3foov\0x", "_RC1a\0x"])
    func zero(name: String) {
        #expect(Demangler().demangle(name).text == name)
    }

    @Test(
        "names that make the runtime abort stay mangled",
        arguments: [
            "$sxRvz", "_$s4main3fooxRvz", "$sxRVz4main", "$s4main3fooyyFRv_",
        ])
    func aborting(name: String) {
        #expect(Demangler().demangle(name).text == name)
    }
}
