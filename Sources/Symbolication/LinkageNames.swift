import Demangling

/// The linkage names that answers need, each once, whichever image it comes from.
///
/// They are collected first and demangled together, so that all of one diagnostic share a budget,
/// and a child process where they need one.
struct LinkageNames {
    private var names: [String] = []
    private var numbers: [String: Int] = [:]
    /// As far as ``demangle(by:_:)`` came.
    private var shown: [DemangledName] = []

    /// The number of a name.
    mutating func number(of name: String) -> Int {
        if let known = numbers[name] { return known }
        numbers[name] = names.count
        names.append(name)
        return names.count - 1
    }

    /// Demangles what was collected since the last time.
    mutating func demangle(by demangler: Demangler, _ budget: inout DemanglingBudget) {
        guard shown.count < names.count else { return }
        shown += demangler.demangle(Array(names[shown.count...]), &budget)
    }

    /// - Parameter number: Of a name that was demangled.
    subscript(number: Int) -> (linkageName: String, shown: DemangledName) {
        (names[number], shown[number])
    }
}
