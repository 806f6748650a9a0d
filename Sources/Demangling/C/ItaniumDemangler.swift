private import CLLVMDemangle

/// Demangles C++ names with LLVM's demangler, under limits on text, work and nesting.
///
/// At a limit the text is truncated, because its start is correct. Both styles are the same.
struct ItaniumDemangler {
    /// The recursion takes stack for every byte of a hostile name, and threads have little. Longer
    /// names go to a child; the longest in the Swift toolchain's own libraries has 1,897 bytes.
    static let nameBytesLimit = 4_096

    /// - Parameter mangled: The name with one leading underscore, or three for a block's body.
    func attempt(_ mangled: Substring) -> DemanglingAttempt {
        unsafe CDemangler(symbolist_itanium_text)
            .attempt(mangled, needsChild: mangled.utf8.count > Self.nameBytesLimit)
    }
}
