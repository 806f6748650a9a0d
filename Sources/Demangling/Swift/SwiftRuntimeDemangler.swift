private import CSwiftDemangle

/// Demangles Swift names with the demangler of the Swift runtime, which supports the compiler of
/// the same release and older ones since Swift 4.
///
/// The runtime's demangler has no limits, and its memory and time cannot be limited from outside.
/// It also ends the process for a few damaged names, such as `$sxRvz`. So it is used in this
/// process only if ``SwiftExpansionBound`` recognises every operator and proves that the text is
/// short.
struct SwiftRuntimeDemangler {
    /// The maximum text, in bytes, of a name that is demangled in this process.
    static let expansionBytesLimit = 1 << 20

    /// The maximum length of a name that is demangled in this process, because some of the
    /// runtime's steps, such as decoding Punycode, take quadratic time.
    static let nameBytesLimit = 8_192

    static func needsChild(_ mangled: Substring) -> Bool {
        guard mangled.utf8.count <= nameBytesLimit else { return true }
        let bound = SwiftExpansionBound(of: mangled, limit: expansionBytesLimit)
        return bound.isReached || bound.isUncertain
    }

    func attempt(_ mangled: Substring) -> DemanglingAttempt {
        let runtime = unsafe CDemangler(symbolist_swift_simplified)
        return runtime.attempt(mangled, needsChild: Self.needsChild(mangled))
    }
}
