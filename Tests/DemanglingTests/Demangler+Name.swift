import Demangling

extension Demangler {
    /// Returns the text of one name, with a budget of its own.
    func demangle(_ linkageName: String) -> DemangledName {
        var budget = DemanglingBudget()
        return demangle([linkageName], budget: &budget)[0]
    }
}
