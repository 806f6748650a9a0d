import CallStacks
import Demangling

/// The distinct linkage names of all lookups of a diagnostic.
///
/// They are collected first and demangled together, so that a diagnostic has one budget, and one
/// child process if it needs one.
struct LinkageNames {
    private(set) var demangled: [FunctionName] = []
    /// Names collected since the last demangling.
    private var waiting: [String] = []
    private var numbers: [String: Int] = [:]
    /// The names of other diagnostics.
    private let known: DemangledNameCache?

    init(known: DemangledNameCache? = nil) { self.known = known }

    mutating func number(of name: String) -> Int {
        if let known = numbers[name] { return known }
        let number = demangled.count + waiting.count
        numbers[name] = number
        waiting.append(name)
        return number
    }

    /// Demangles the names collected since the last call.
    mutating func demangle(by demangler: Demangler, budget: inout DemanglingBudget) {
        guard !waiting.isEmpty else { return }
        let known = known?.names(of: waiting) ?? Array(repeating: nil, count: waiting.count)
        let unknown = zip(waiting, known).lazy.filter { $1 == nil }.map { $0.0 }
        let new = Self.names(of: Array(unknown), by: demangler, budget: &budget)
        // Past the budget, names stay mangled.
        if !budget.isSpent { self.known?.add(new) }
        var rest = new[...]
        for name in known {
            if let name = name ?? rest.popFirst() { demangled.append(name) }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    private static func names(
        of linkageNames: [String], by demangler: Demangler, budget: inout DemanglingBudget
    ) -> [FunctionName] {
        let shown = demangler.demangle(linkageNames, budget: &budget)
        return zip(linkageNames, shown).map { linkageName, name in
            FunctionName(
                linkageName: linkageName, shown: name.text,
                isCompilerGenerated: name.kind.isCompilerGenerated)
        }
    }
}

extension SymbolKind {
    /// Whether the code is compiler-generated, so that its name does not explain the fault.
    fileprivate var isCompilerGenerated: Bool {
        switch self {
        case .thunk, .merged, .outlined, .blockHelper, .runtimeFailure: true
        case .function, .coldPart, .part, .asyncResume, .block, .hidden: false
        }
    }
}
