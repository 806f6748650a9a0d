public import CallStacks

/// The facts about an image that determine whether it belongs to the app.
public struct ImageTraits: Hashable, Sendable {
    public var id: ImageID?
    /// The last component of its path, or the report's name for it.
    public var name: Substring?
    /// The path, or `nil` if the report has only a name.
    public var path: String?
    public var loadAddress: RuntimeAddress?
    /// The name of the architecture, if known. It determines the meaning of an address.
    public var architecture: String?
    /// Whether the report marks it as the process's main executable.
    public var isMainExecutable = false
    /// Whether the report is from one of Apple's systems, or `nil` if it names no system.
    public var isOnApplesSystem: Bool?
    /// Whether it is an Apple system image according to its symbols.
    public var hasSystemSymbols = false
    /// The package folders of the report's executables, by ``ImageLocation/package(of:)``.
    public var executablePackages: Set<Substring> = []

    /// - Parameter name: A path or a bare name.
    public init(
        id: ImageID?, name: String?, path: String? = nil, loadAddress: RuntimeAddress? = nil,
        architecture: String? = nil
    ) {
        self.id = id
        self.name = (name ?? path)?.lastComponent
        self.path = path ?? name.flatMap { $0.hasPrefix("/") ? $0 : nil }
        self.loadAddress = loadAddress
        self.architecture = architecture
    }

    /// The owner according to the file's folder, or `nil` if the report has no path.
    var location: ImageLocation? {
        path.flatMap { ImageLocation(of: $0, executablePackages: executablePackages) }
    }
}

extension String {
    var lastComponent: Substring {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { self[index(after: $0)...] } ?? self[...]
    }
}
