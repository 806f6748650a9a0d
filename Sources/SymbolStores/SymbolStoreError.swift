public import Problems

/// An error about a file, folder or image that cannot be used.
public struct SymbolStoreError: DescribedError, Hashable {
    /// `Shop.dSYM: no such file or folder: check the path`.
    public var problem: Problem
    /// Whether the disk was full, so that the subject itself is not at fault.
    public var isDiskFull: Bool
    /// Whether the subject is a file of another kind, which is not damaged.
    public var isOfOtherKind = false

    public init(_ problem: Problem, isDiskFull: Bool = false) {
        self.problem = problem
        self.isDiskFull = isDiskFull
    }

    /// - Parameter subject: The path or image.
    public init(_ subject: String, detail: String, suggestion: String? = nil) {
        self.init(Problem(subject, detail: detail, suggestion: suggestion))
    }
}
