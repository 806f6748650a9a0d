import CSwiftDemangle
import Testing

/// The behaviour of two functions that no header or interface documents.
@Suite("the runtime's demanglers")
struct RuntimeFunctionsTests {
    @Test("the simplified form has no modules and no types of results")
    func simplified() {
        #expect(unsafe runtimeText(symbolist_swift_simplified, "$s4main3fooyyF") == "foo()")
        #expect(
            unsafe runtimeText(symbolist_swift_simplified, "$sSo8NSStringC4ShopE4cartSivg")
                == "NSString.cart.getter")
    }

    @Test("the full form has both")
    func full() {
        #expect(unsafe runtimeText(fullSwiftText, "$s4main3fooyyF") == "main.foo() -> ()")
        #expect(
            unsafe runtimeText(fullSwiftText, "$s4main3fooyyFTm")
                == "merged main.foo() -> ()")
    }

    @Test(
        "Mach-O's underscore, Swift 4 and embedded Swift are known",
        arguments: [
            "$s4main3fooyyF", "_$s4main3fooyyF", "$S4main3fooyyF", "$e4main3fooyyF",
            "_T04main3fooyyF",
        ])
    func prefixes(name: String) {
        #expect(unsafe runtimeText(symbolist_swift_simplified, name) == "foo()")
    }

    @Test("names of Swift 3 are returned unchanged")
    func old() {
        #expect(unsafe runtimeText(fullSwiftText, "_TtC4main3Foo") == "_TtC4main3Foo")
    }

}

/// The runtime's full form, whose text is the longest that a name can have in the runtime.
func fullSwiftText(
    _ name: UnsafePointer<CChar>?, length: Int
) -> UnsafeMutablePointer<CChar>? {
    unsafe swift_demangle(name, length, nil, nil, 0)
}

func runtimeText(_ demangler: symbolist_demangler, _ name: String) -> String? {
    let capacity = 4_096
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { out in
        guard let start = out.baseAddress else { return nil }
        let size = unsafe symbolist_demangle_here(demangler, name, name.utf8.count, start, capacity)
        guard size >= 0 else { return nil }
        return unsafe String(decoding: UnsafeRawBufferPointer(out)[..<size], as: UTF8.self)
    }
}
