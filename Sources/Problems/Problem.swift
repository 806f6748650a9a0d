/// A problem and what to do about it, in parts. Its text is made once, where it is shown.
public struct Problem: DescribedError, Hashable {
    /// The file, image, setting or request, or `nil` if the context names it.
    public var subject: String?
    public var detail: String
    /// The next step, or `nil` if there is nothing useful to suggest.
    public var suggestion: String?

    public init(_ subject: String? = nil, detail: String, suggestion: String? = nil) {
        self.subject = subject
        self.detail = detail
        self.suggestion = suggestion
    }

    /// Returns the problem with another subject.
    public func of(_ subject: String?) -> Self {
        Self(subject, detail: detail, suggestion: suggestion)
    }

    /// Returns the problem with its subject inside another one: `crash.json: json+0x12c: …`.
    public func inside(_ outer: String) -> Self {
        of(subject.map { "\(outer): \($0)" } ?? outer)
    }

    /// Returns the problem with a suggestion, unless it already has one.
    public func suggesting(_ suggestion: String?) -> Self {
        Self(subject, detail: detail, suggestion: self.suggestion ?? suggestion)
    }
}

extension Problem {
    public var problem: Self { self }

    /// `Shop.dSYM: no such file or folder: check the path`.
    public var description: String {
        [subject, detail, suggestion].compactMap(\.self).joined(separator: ": ")
    }
}
