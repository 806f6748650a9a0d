public import CallStacks

/// The owner and build of an upload, and what it may replace.
public struct UploadOptions: Hashable, Sendable {
    /// The owner of the files.
    public var owner: SymbolOwner
    /// The build that the images belong to.
    public var build: Build?
    /// The system that the system images are part of, if the upload names it.
    public var system: SystemBuild?
    /// Whether the files replace the owner's files of the same images even if they are no better.
    public var replaces: Bool

    public init(
        owner: SymbolOwner, build: Build? = nil, system: SystemBuild? = nil, replaces: Bool = false
    ) {
        self.owner = owner
        self.build = build
        self.system = system
        self.replaces = replaces
    }
}
