/// The text shown in place of a linkage name.
public struct DemangledName: Hashable, Sendable {
    /// The demangled text, or the name unchanged if it cannot be demangled.
    ///
    /// At most ``Demangler/textBytesLimit`` bytes, plus the three of a final `…` if truncated.
    public var text: String

    /// The role of the code.
    public var kind: SymbolKind

    /// The mangling scheme, judged by the name's prefix, whether or not demangling succeeded.
    public var scheme: ManglingScheme

    public init(text: String, kind: SymbolKind = .function, scheme: ManglingScheme = .none) {
        self.text = text
        self.kind = kind
        self.scheme = scheme
    }
}

/// The role of the code at a symbol, as far as the name reveals it.
///
/// Names in debug information have the same roles, except for ``coldPart`` and ``outlined``, which
/// only symbol tables have.
public enum SymbolKind: String, Hashable, Sendable, CaseIterable {
    /// Source code, and any other code.
    case function

    /// Glue that only forwards calls: protocol witnesses, partial application, reabstraction,
    /// `@objc` entries, dispatch thunks, C++ virtual and covariant thunks.
    ///
    /// Decided as in the Swift runtime's backtraces, with two differences: dispatch, vtable, curry,
    /// back deployment and key path thunks count, and a struct's `init` does not.
    case thunk

    /// The rarely executed part of a function, separate from the rest: `.cold`, `.cold.1`.
    case coldPart

    /// Another part of a function that the compiler split: `.part.0`, and `.resume`, `.destroy`,
    /// `.cleanup` of C++ and Swift coroutines.
    case part

    /// A Swift async function's continuation after a suspension.
    case asyncResume

    /// A body shared by several Swift functions that differ only in constants. It is real code,
    /// with the name of one of them.
    case merged

    /// Instructions shared by many functions: `OUTLINED_FUNCTION_3`, Swift's `outlined copy of`.
    case outlined

    /// The body of a block literal.
    case block

    /// Compiler-generated code that copies or destroys a block's captures.
    case blockHelper

    /// A Swift trap that the compiler describes as an inlined call: `Swift runtime failure: …`.
    case runtimeFailure

    /// A name that a bitcode build replaced, `__hidden#12_`, and that no symbol map restored.
    case hidden
}
