/// What a person sees in place of a linkage name.
public struct DemangledName: Hashable, Sendable {
    /// The text to show. For a name that cannot be demangled, the name as it came.
    ///
    /// At most ``Demangler/textBytesLimit`` bytes, and the three of a final `…` where it was cut.
    public var text: String

    /// What the code behind the name is for.
    public var kind: SymbolKind

    /// How the name was mangled, judged by its prefix. Not a promise that demangling succeeded.
    public var scheme: ManglingScheme

    public init(text: String, kind: SymbolKind = .function, scheme: ManglingScheme = .none) {
        self.text = text
        self.kind = kind
        self.scheme = scheme
    }
}

/// What the code behind a symbol is for, as far as its name tells.
///
/// A name in debug information says the same; only symbol tables hold ``coldPart`` and
/// ``outlined``.
public enum SymbolKind: String, Hashable, Sendable, CaseIterable {
    /// Code that somebody wrote, and everything that is nothing of the following.
    case function

    /// Glue that only calls on: protocol witnesses, partial application, reabstraction, `@objc`
    /// entries, dispatch thunks, C++ virtual and covariant thunks.
    ///
    /// Judged as the Swift runtime does for its backtraces, with two differences: dispatch, vtable,
    /// curry, back deployment and key path thunks count, and a struct's `init` does not.
    case thunk

    /// The seldom used rest of a function, moved away from it: `.cold`, `.cold.1`.
    case coldPart

    /// Another piece of a function that the compiler split: `.part.0`, and C++ and Swift
    /// coroutines' `.resume`, `.destroy`, `.cleanup`.
    case part

    /// A Swift async function's continuation after a suspension.
    case asyncResume

    /// One body for several Swift functions that differ in constants. It is real code, whose name
    /// is that of any one of them.
    case merged

    /// Instructions taken out of many functions: `OUTLINED_FUNCTION_3`, Swift's `outlined copy of`.
    case outlined

    /// The body of a block literal.
    case block

    /// What the compiler wrote to copy or destroy a block's captures.
    case blockHelper

    /// A Swift trap that the compiler describes as an inlined call: `Swift runtime failure: …`.
    case runtimeFailure

    /// A name that a bitcode build replaced, `__hidden#12_`. Its map was never applied.
    case hidden
}
