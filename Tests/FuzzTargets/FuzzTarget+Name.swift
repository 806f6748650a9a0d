import Demangling

extension FuzzTarget {
    func readName(_ input: [UInt8]) throws {
        let name = String(decoding: input, as: UTF8.self)
        var budget = DemanglingBudget()
        let shown = Demangler().demangle([name], budget: &budget)[0].text
        // Truncated text ends in an ellipsis of three bytes.
        try promise("a name has a bounded text", shown.utf8.count <= Demangler.textBytesLimit + 3)
    }
}
