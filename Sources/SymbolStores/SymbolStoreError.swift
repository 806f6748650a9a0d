/// A file or folder that could not be used: what it is, what happened, and what to do next.
public struct SymbolStoreError: Error, Hashable, Sendable {
    /// The path or image that it is about.
    public var subject: String
    public var what: String
    /// What would help, where there is something.
    public var next: String?
    /// Whether there was no space on the disk, which is not the fault of what it is about.
    public var isDiskFull = false

    public init(_ subject: String, _ what: String, next: String? = nil) {
        self.subject = subject
        self.what = what
        self.next = next
    }
}

extension SymbolStoreError: CustomStringConvertible {
    /// `Shop.dSYM: No such file or directory: give a path that exists`.
    public var description: String {
        [subject, what, next].compactMap(\.self).joined(separator: ": ")
    }
}
