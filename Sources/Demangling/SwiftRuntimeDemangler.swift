private import CSwiftDemangle

/// Swift names, by the demangler inside the Swift runtime: it knows what the compiler of the same
/// release writes, and what older ones wrote since Swift 4.
///
/// It has no limits of its own, and neither memory nor time can be taken from it while it runs. It
/// also ends the process on a few damaged names, `$sxRvz` for one. So a name goes to it in this
/// process only if ``SwiftExpansionBound`` proves the text short and knows every operator.
struct SwiftRuntimeDemangler {
    var style: Demangler.Style

    /// Texts that may be longer are made in a child process.
    static let expansionBytesLimit = 1 << 20

    /// Longer names go to the child whatever they say: some of the runtime's steps, decoding of
    /// Punycode for one, take time with the square of the length.
    static let nameBytesLimit = 8_192

    static func needsChild(_ mangled: Substring) -> Bool {
        guard mangled.utf8.count <= nameBytesLimit else { return true }
        let bound = SwiftExpansionBound(of: mangled, limit: expansionBytesLimit)
        return bound.isReached || bound.isUncertain
    }

    func attempt(_ mangled: Substring) -> Attempt {
        let runtime = unsafe ForeignDemangler(
            style == .full ? symbolist_swift_full : symbolist_swift_simplified)
        return runtime.attempt(mangled, needsChild: Self.needsChild(mangled))
    }
}
