import Demangling
import Testing

/// A linkage name and its demangled form.
struct NameExample: CustomTestStringConvertible, Sendable {
    var name: String
    var text: String
    var kind: SymbolKind
    var scheme: ManglingScheme

    init(_ name: String, _ text: String, _ kind: SymbolKind, _ scheme: ManglingScheme) {
        self.name = name
        self.text = text
        self.kind = kind
        self.scheme = scheme
    }

    var testDescription: String { name }

    var expected: DemangledName { DemangledName(text: text, kind: kind, scheme: scheme) }
}

@Suite("names as Xcode shows them")
struct NamesTests {
    @Test(
        "Swift",
        arguments: [
            NameExample("$s4main3fooyyF", "foo()", .function, .swift),
            NameExample("_$s4main3fooyyF", "foo()", .function, .swift),
            NameExample("__T04main3fooyyF", "foo()", .function, .swift),
            NameExample("$s4main3fooyyF.cold.1", "foo() (.cold.1)", .coldPart, .swift),
            NameExample("$s4main1SV1xSivM.resume.0", "S.x.modify (.resume.0)", .part, .swift),
            NameExample("$s4main3fooyyF.llvm.123", "foo()", .function, .swift),
            NameExample("$s4main3fooyyFTm", "foo()", .merged, .swift),
            NameExample("$s4main3fooyyYaFTY0_", "foo()", .asyncResume, .swift),
            NameExample("$s4main3fooyyYaFTQ12_", "foo()", .asyncResume, .swift),
            NameExample("$s4main3FooVACycfC", "Foo.init()", .function, .swift),
            NameExample("$s4main1fyyxRvzlF", "f<each A>(_:)", .function, .swift),
            NameExample(
                "$s10Foundation10SocketPortC9SignatureVSgWOe",
                "outlined consume of SocketPort.Signature?", .outlined, .swift),
            NameExample("_TtC4main3Foo", "Foo", .function, .swiftOld),
            NameExample("_TtCC4main5Outer5Inner", "Outer.Inner", .function, .swiftOld),
            NameExample("_TtP4main3Foo_", "Foo", .function, .swiftOld),
            NameExample(
                "_TtC4ShopP33_0123456789ABCDEF0123456789ABCDEF4Cart", "Cart", .function, .swiftOld),
            NameExample(
                "_TtCC4Shop5OuterP33_0123456789ABCDEF0123456789ABCDEF5Inner", "Outer.Inner",
                .function, .swiftOld),
            NameExample("_TFC4test3Foo3barfT_T_", "Foo.bar()", .function, .swiftOld),
            NameExample("__TFC4test3Foo3barfT_T_", "Foo.bar()", .function, .swiftOld),
            NameExample("_TFC4test3Foo3barfT", "_TFC4test3Foo3barfT", .function, .swiftOld),
        ])
    func swift(example: NameExample) {
        #expect(Demangler().demangle(example.name) == example.expected)
    }

    @Test(
        "Swift thunks",
        arguments: [
            NameExample("$s4main3fooyyFTA", "partial apply for foo()", .thunk, .swift),
            NameExample("$s4main3fooyyFTA.12", "partial apply for foo()", .thunk, .swift),
            NameExample("$s4main3fooyyFTo", "@objc foo()", .thunk, .swift),
            NameExample("$s4main3fooyyFTj", "dispatch thunk of foo()", .thunk, .swift),
            NameExample("$s4main3FooCACycfC", "Foo.__allocating_init()", .thunk, .swift),
            NameExample(
                "$s4main1SVAA1PA2aDP3fooyyFTW",
                "protocol witness for P.foo() in conformance S", .thunk, .swift),
            NameExample(
                "$s4main1SVAA1PA2aDP3fooyyYaFTWTQ0_",
                "protocol witness for P.foo() in conformance S", .thunk, .swift),
            NameExample(
                "$sSSIeghg_BASSIeghHgILg_TR",
                "thunk for @escaping @callee_guaranteed @Sendable (@guaranteed String) -> ()",
                .thunk, .swift),
        ])
    func swiftThunks(example: NameExample) {
        #expect(Demangler().demangle(example.name) == example.expected)
    }

    @Test(
        "C++",
        arguments: [
            NameExample("_Z3foov", "foo()", .function, .itanium),
            NameExample("__Z3foov", "foo()", .function, .itanium),
            NameExample(
                "_ZNSt6vectorIiSaIiEE9push_backERKi",
                "std::vector<int, std::allocator<int>>::push_back(int const&)", .function, .itanium),
            NameExample("_Z3fooi.cold.1", "foo(int) (.cold.1)", .coldPart, .itanium),
            NameExample("_Z3fooi.part.0.cold", "foo(int) (.part.0.cold)", .coldPart, .itanium),
            NameExample("_Z3fooi.part.0", "foo(int) (.part.0)", .part, .itanium),
            NameExample("_Z3fooi.isra.0", "foo(int) (.isra.0)", .function, .itanium),
            NameExample("_Z3fooi.llvm.123456", "foo(int)", .function, .itanium),
            NameExample("_Z3foov.destroy", "foo() (.destroy)", .part, .itanium),
            NameExample(
                "___Z3foov_block_invoke", "invocation function for block in foo()", .block, .itanium
            ),
            NameExample(
                "____Z3foov_block_invoke_2", "invocation function for block in foo()", .block,
                .itanium),
            NameExample("_ZThn16_N1A1fEv", "non-virtual thunk to A::f()", .thunk, .itanium),
            NameExample("_ZTv0_n24_N1A1fEv", "virtual thunk to A::f()", .thunk, .itanium),
            NameExample("_ZZ4mainE1x_0", "main::x", .function, .itanium),
            NameExample("_ZZ4mainE1x__10_", "main::x", .function, .itanium),
        ])
    func cxx(example: NameExample) {
        #expect(Demangler().demangle(example.name) == example.expected)
    }

    @Test(
        "C and Objective-C are unchanged",
        arguments: [
            NameExample("main", "main", .function, .none),
            NameExample("Some", "Some", .function, .none),
            NameExample("sleep", "sleep", .function, .none),
            NameExample("_ReadFile", "_ReadFile", .function, .none),
            NameExample("foo.cold.1", "foo.cold.1", .coldPart, .none),
            NameExample("foo.part.0", "foo.part.0", .part, .none),
            NameExample("foo.llvm.123", "foo", .function, .none),
            NameExample("OUTLINED_FUNCTION_3", "OUTLINED_FUNCTION_3", .outlined, .none),
            NameExample("__main_block_invoke", "__main_block_invoke", .block, .none),
            NameExample(
                "__31-[Cart add:]_block_invoke_2", "__31-[Cart add:]_block_invoke_2", .block, .none),
            NameExample(
                "__42-[Cart total]_block_invoke.123", "__42-[Cart total]_block_invoke.123", .block,
                .none),
            NameExample("__main_block_invoke_2.7", "__main_block_invoke_2.7", .block, .none),
            NameExample("_block_invoke.7", "_block_invoke.7", .function, .none),
            NameExample(
                "___copy_helper_block_e8_32s", "___copy_helper_block_e8_32s", .blockHelper, .none),
            NameExample("-[Cart add:]", "-[Cart add:]", .function, .objectiveC),
            NameExample("+[Cart empty]", "+[Cart empty]", .function, .objectiveC),
            NameExample("-[Cart add:].cold.1", "-[Cart add:].cold.1", .coldPart, .objectiveC),
            NameExample(
                "Swift runtime failure: arithmetic overflow",
                "Swift runtime failure: arithmetic overflow", .runtimeFailure, .none),
            NameExample("__hidden#123_", "hidden symbol 123", .hidden, .none),
            NameExample("<unknown>", "<unknown>", .function, .none),
            NameExample("", "", .function, .none),
        ])
    func plain(example: NameExample) {
        #expect(Demangler().demangle(example.name) == example.expected)
    }

    @Test(
        "prefixes without a name are unchanged",
        arguments: [
            "_Z", "__Z", "$s", "_$s", "_R", "_RN", "_T0", "_ZN", "_", "__", "$", "-[", "_Tt",
            ".cold",
        ])
    func bare(name: String) {
        #expect(Demangler().demangle(name).text == name)
    }
}
