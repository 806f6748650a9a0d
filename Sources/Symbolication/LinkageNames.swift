import CallStacks
import Demangling

/// The linkage names that answers need, each once, whichever image it comes from.
///
/// They are collected first and demangled together, so that all of one diagnostic share a budget,
/// and a child process where they need one.
struct LinkageNames {
    /// Those that were demangled, by their numbers.
    private(set) var demangled: [FunctionName] = []
    /// Those collected since.
    private var waiting: [String] = []
    private var numbers: [String: Int] = [:]
    /// Those of other diagnostics.
    private let known: KnownNames?

    init(known: KnownNames? = nil) { self.known = known }

    /// The number of a name.
    mutating func number(of name: String) -> Int {
        if let known = numbers[name] { return known }
        let number = demangled.count + waiting.count
        numbers[name] = number
        waiting.append(name)
        return number
    }

    /// Demangles what was collected since the last time.
    mutating func demangle(by demangler: Demangler, _ budget: inout DemanglingBudget) {
        guard !waiting.isEmpty else { return }
        let known = known?.names(of: waiting) ?? Array(repeating: nil, count: waiting.count)
        let unknown = zip(waiting, known).lazy.filter { $1 == nil }.map { $0.0 }
        let new = Self.names(of: Array(unknown), demangler, &budget)
        // Where the budget did not reach, names stayed mangled.
        if !budget.isSpent { self.known?.add(new) }
        var rest = new[...]
        for name in known {
            if let name = name ?? rest.popFirst() { demangled.append(name) }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    private static func names(
        of linkageNames: [String], _ demangler: Demangler, _ budget: inout DemanglingBudget
    ) -> [FunctionName] {
        zip(linkageNames, demangler.demangle(linkageNames, &budget)).map { linkageName, name in
            FunctionName(
                linkageName: linkageName, shown: name.text,
                isCompilerGenerated: name.kind.isCompilerGenerated)
        }
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
