import CallStacks
import Demangling
import SymbolIndexes

/// The linkage names of all lookups of a diagnostic. Names of different indexes may be equal.
///
/// They are collected first and demangled together, so that a diagnostic has one budget, and one
/// child process if it needs one.
struct LinkageNames {
    private struct Waiting {
        let linkageName: String
        /// The name, if it is already demangled.
        var known: FunctionName?
        /// Its number in an index.
        var key: IndexedTextCache.Key?
    }

    private(set) var demangled: [FunctionName] = []
    /// Names collected since the last demangling.
    private var waiting: [Waiting] = []
    private var numbers: [String: Int] = [:]
    /// The names of other diagnostics.
    private let known: DemangledNameCache?
    private let indexed: IndexedTextCache?

    init(known: DemangledNameCache?, indexed: IndexedTextCache? = nil) {
        self.known = known
        self.indexed = indexed
        waiting.reserveCapacity(Self.usualCount)
        demangled.reserveCapacity(Self.usualCount)
    }

    /// The number of names for which memory is reserved, enough for most diagnostics.
    private static let usualCount = 64

    mutating func number(of name: String) -> Int { number(of: name, at: nil) }

    /// Returns the number of a name of an index, or `nil` if the function has no name. Call this
    /// once for each name.
    mutating func number(
        of name: IndexedName, in index: SymbolIndex
    ) throws(SymbolIndexError) -> Int? {
        guard let indexed else { return try index.name(name).map { number(of: $0) } }
        let key = IndexedTextCache.Key(name, in: index)
        if let known = indexed.name(at: key) {
            waiting.append(Waiting(linkageName: known.linkageName, known: known))
            return demangled.count + waiting.count - 1
        }
        return try index.name(name).map { number(of: $0, at: key) }
    }

    private mutating func number(of name: String, at key: IndexedTextCache.Key?) -> Int {
        if let known = numbers[name] { return known }
        let number = demangled.count + waiting.count
        numbers[name] = number
        waiting.append(Waiting(linkageName: name, key: key))
        return number
    }

    /// Demangles the names collected since the last call.
    mutating func demangle(by demangler: Demangler, budget: inout DemanglingBudget) {
        guard !waiting.isEmpty else { return }
        findKnown()
        let unknown = waiting.filter { $0.known == nil }.map(\.linkageName)
        let new =
            unknown.isEmpty ? [] : Self.names(of: unknown, by: demangler, budget: &budget)
        // Past the budget, names stay mangled.
        if !budget.isSpent, !new.isEmpty { known?.add(new) }
        var rest = new[...]
        var found: [(key: IndexedTextCache.Key, name: FunctionName)] = []
        for item in waiting {
            guard let name = item.known ?? rest.popFirst() else { continue }
            demangled.append(name)
            if let key = item.key, item.known != nil || !budget.isSpent {
                found.append((key, name))
            }
        }
        if !found.isEmpty { indexed?.add(found) }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Finds names in the cache of other diagnostics, by their text.
    private mutating func findKnown() {
        let positions = waiting.indices.filter { waiting[$0].known == nil }
        guard let known, !positions.isEmpty else { return }
        let names = known.names(of: positions.map { waiting[$0].linkageName })
        for (position, name) in zip(positions, names) { waiting[position].known = name }
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
