public import DebugFiles
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

    /// The error of a file whose code has no addresses yet, or `nil` if the file is linked.
    public init?(unlinked file: DebugFile, name: String) {
        guard file.kind.isObject else { return nil }
        if file.splitUnits != nil, !file.hasDebugInformation {
            self.init(
                name, detail: "has only split units",
                suggestion: "use it with the file that refers to them")
        } else {
            self.init(
                name, detail: "is an object file, whose code has no addresses before linking",
                suggestion: "use the linked image or its debug file")
        }
    }
}
