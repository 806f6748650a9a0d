import Demangling

/// A function's name as it is shown, and whether a person wrote the function.
struct FunctionName {
    let shown: String
    let isCompilerGenerated: Bool
}

/// The shown names of functions, each demangled once.
struct FunctionNames {
    private let demangler: Demangler
    private var known: [String: FunctionName] = [:]

    init(demangler: Demangler) { self.demangler = demangler }

    mutating func name(of linkageName: String) -> FunctionName {
        if let name = known[linkageName] { return name }
        let demangled = demangler.demangle(linkageName)
        let name = FunctionName(
            shown: demangled.text, isCompilerGenerated: demangled.kind.isCompilerGenerated)
        known[linkageName] = name
        return name
    }
}

extension SymbolKind {
    /// Whether the code is the compiler's own idea, so that its name says nothing about the fault.
    fileprivate var isCompilerGenerated: Bool {
        switch self {
        case .thunk, .merged, .outlined, .blockHelper, .runtimeFailure: true
        case .function, .coldPart, .part, .asyncResume, .block, .hidden: false
        }
    }
}
