/// A problem with a debug file or folder that could not be used. It does not affect other files.
public struct SymbolProblem: Hashable, Sendable {
    public let error: SymbolStoreError
    /// Whether the caller listed this path explicitly, so that the run is incomplete.
    public let isExplicit: Bool

    init(_ error: SymbolStoreError, isExplicit: Bool) {
        self.error = error
        self.isExplicit = isExplicit
    }
}
