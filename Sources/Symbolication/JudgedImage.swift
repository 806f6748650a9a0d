public import CallStacks

/// What a report says of an image, as far as it tells whose the image is.
public struct JudgedImage: Hashable, Sendable {
    public var id: ImageID?
    /// The last component of its path, or what the report calls it.
    public var name: Substring?
    /// `nil` where the report gives only a name.
    public var path: String?
    public var loadAddress: RuntimeAddress?
    /// The architecture by its name, as far as it is known; decides what an address means.
    public var architecture: String?
    /// Whether the report says that it is the file that the process was started from.
    public var isMainExecutable = false
    /// Folders of packages in which the report has executables, as ``ImageLocation/package(of:)``
    /// tells them.
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

    /// `nil` where the report does not say where the file is.
    var location: ImageLocation? {
        path.flatMap { ImageLocation(of: $0, executablePackages: executablePackages) }
    }
}

extension String {
    var lastComponent: Substring {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { self[index(after: $0)...] } ?? self[...]
    }
}
