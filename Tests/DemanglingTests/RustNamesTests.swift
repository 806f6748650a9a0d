import Testing

@testable import Demangling

@Suite("Rust names")
struct RustNamesTests {
    @Test(
        "current form",
        arguments: [
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("__RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("_RNvC6_123foo3bar", "123foo::bar"),
            (
                "_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>"
            ),
            (
                "_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3newCs15kBYyAo9fc_7mycrate",
                "<std::path::PathBuf>::new"
            ),
            (
                "_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}"
            ),
            (
                "_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
                "utf8_idents::საჭმელად_გემრიელი_სადილი"
            ),
            ("_RIC1aKj7b_E", "a::<123>"),
            ("_RIC1aKanb_E", "a::<-11>"),
            ("_RIC1aKb1_E", "a::<true>"),
            ("_RIC1aKc76_E", "a::<'v'>"),
            ("_RIC1aKRe616263_E", "a::<\"abc\">"),
            ("_RIC1aTlEE", "a::<(i32,)>"),
            ("_RIC1aFG_RL0_hEuE", "a::<for<'a> fn(&'a u8)>"),
            ("_RIC1aDNtC1b1tp1xuEL_E", "a::<dyn b::t<x = ()>>"),
            (
                "_RIC1aFUKCmEzE", "a::<unsafe extern \"C\" fn(u32) -> !>"
            ),
        ])
    func current(name: String, text: String) {
        #expect(Demangler().demangle(name).text == text)
        #expect(ParsedLinkageName(name).scheme == .rustV0)
    }

    @Test(
        "older form",
        arguments: [
            (
                "_ZN4core3ptr13drop_in_place17h0123456789abcdefE", "core::ptr::drop_in_place"
            ),
            (
                "__ZN4core3ptr13drop_in_place17h0123456789abcdefE.llvm.99",
                "core::ptr::drop_in_place"
            ),
            (
                "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
                    + "17h930b740aa94f1d3aE",
                "<Test + 'static as foo::Bar<Test>>::bar"
            ),
        ])
    func older(name: String, text: String) {
        #expect(Demangler().demangle(name).text == text)
        #expect(ParsedLinkageName(name).scheme == .rustLegacy)
    }

    @Test(
        "broken names stay",
        arguments: [
            "_RNvC7mycrate", "_RNvCs_", "_RB_", "_RNvB_3foo", "_RC9999999999999999999a",
            "_RIC1aKc110000_E",
            "_RIC1aRL0_hE", "_RCsZZZZZZZZZZZZZZZZZZZZ_1a",
            // One more than 64 bits, in a disambiguator and in a binder.
            "_RNvCslYGhA16ahye_7mycrate3foo", "_RIC1aFGlYGhA16ahye_uEuE",
        ])
    func broken(name: String) {
        #expect(Demangler().demangle(name).text == name)
    }
}
