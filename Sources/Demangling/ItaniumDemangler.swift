private import CLLVMDemangle

/// C++ names, by LLVM's demangler under limits of text, work and nesting.
///
/// Printing stops at the limit instead of failing: what came before it is right, and shown. Both
/// styles are the same.
struct ItaniumDemangler {
    /// The recursion takes stack for every byte of a hostile name, and threads have little. Longer
    /// names go to a child; the longest in the Swift toolchain's own libraries has 1,897 bytes.
    static let nameBytesLimit = 4_096

    /// - Parameter mangled: With one leading underscore, or three for a block's body.
    func attempt(_ mangled: Substring) -> Attempt {
        unsafe ForeignDemangler(symbolist_itanium_text)
            .attempt(mangled, needsChild: mangled.utf8.count > Self.nameBytesLimit)
    }
}
