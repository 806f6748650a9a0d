/// A debug file or folder that could not be used, though everything else could.
public struct SymbolProblem: Hashable, Sendable {
    public let error: SymbolStoreError
    /// Whether the caller asked for this very path, so that the run did not do all it was told to.
    public let isNamedByCaller: Bool

    init(_ error: SymbolStoreError, isNamedByCaller: Bool) {
        self.error = error
        self.isNamedByCaller = isNamedByCaller
    }
}
