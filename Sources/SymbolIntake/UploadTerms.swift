public import CallStacks

/// Whom an upload is for, and what it may replace.
public struct UploadTerms: Hashable, Sendable {
    /// Who owns the files.
    public var owner: SymbolOwner
    /// The build that their images are part of.
    public var build: Build?
    /// Whether they take the place of the owner's files of the same images even if they are no
    /// better.
    public var replaces: Bool

    public init(owner: SymbolOwner, build: Build? = nil, replaces: Bool = false) {
        self.owner = owner
        self.build = build
        self.replaces = replaces
    }
}
