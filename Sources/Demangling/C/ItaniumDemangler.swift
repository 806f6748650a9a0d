private import CLLVMDemangle

/// Demangles C++ names with LLVM's demangler, under limits on text, work and nesting.
///
/// At a limit, the text is truncated, because its start is correct. Both styles have the same text.
struct ItaniumDemangler {
    /// The maximum length of a name in this process. The recursion takes stack space for every byte
    /// of a hostile name, and threads have little. Longer names are demangled in a child process;
    /// the longest in the Swift toolchain's own libraries has 1,897 bytes.
    static let nameBytesLimit = 4_096

    /// - Parameter mangled: The name with one leading underscore, or three for a block's body.
    func attempt(_ mangled: Substring) -> DemanglingAttempt {
        unsafe CDemangler(symbolist_itanium_text)
            .attempt(mangled, needsChild: mangled.utf8.count > Self.nameBytesLimit)
    }
}
