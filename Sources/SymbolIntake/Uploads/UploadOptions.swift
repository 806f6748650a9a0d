public import CallStacks

/// The owner and build of an upload, and the files that it may replace.
public struct UploadOptions: Hashable, Sendable {
    /// The owner of the files.
    public var owner: SymbolOwner
    /// The build that the images belong to.
    public var build: Build?
    /// The commit that the build was made from, if the upload names it.
    public var commit: SourceCommit?
    /// The system that the system images are part of, if the upload names it.
    public var system: SystemBuild?
    /// Whether the files replace the owner's files of the same images even if they are not better.
    public var replaces: Bool
    /// Whether the app that the files themselves name owns them, unless the upload is for an app.
    public var isOwnedByNamedApp: Bool

    public init(
        owner: SymbolOwner, build: Build? = nil, commit: SourceCommit? = nil,
        system: SystemBuild? = nil, replaces: Bool = false, isOwnedByNamedApp: Bool = false
    ) {
        self.owner = owner
        self.build = build
        self.commit = commit
        self.system = system
        self.replaces = replaces
        self.isOwnedByNamedApp = isOwnedByNamedApp
    }

    /// Returns the options with the build that the files themselves name, unless the upload names a
    /// build or a system, or is for another app.
    public func completed(with build: Build?) -> Self {
        guard let build, self.build == nil, system == nil, [nil, build.app].contains(owner.app)
        else { return self }
        var options = self
        options.build = build
        if isOwnedByNamedApp { options.owner = .app(build.app) }
        return options
    }
}
