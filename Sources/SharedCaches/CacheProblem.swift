/// A defect of a shared cache that degrades symbolication.
public struct CacheProblem: Hashable, Sendable {
    /// The kind of a problem. The raw values are stable, for programs.
    public enum Code: String, CaseIterable, Hashable, Sendable {
        /// The `.symbols` file with the local symbols is missing.
        case symbolsFileMissing = "symbols-file-missing"
        /// The file of a subcache is missing.
        case subcacheMissing = "subcache-missing"
        /// A file has the right name but belongs to another cache.
        case otherCache = "other-cache"
        /// Two mappings claim the same address.
        case overlappingMappings = "overlapping-mappings"
        /// A table or range exceeds its file.
        case truncated
        /// The contents violate the format.
        case malformed
    }

    public let code: Code
    /// A sentence in lower case, without the name of the cache.
    public let text: String

    /// The code and the text in one line.
    public var line: String { "\(code.rawValue): \(text)" }

    init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }
}
