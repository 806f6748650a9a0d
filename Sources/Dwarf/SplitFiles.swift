/// What a unit of an image says of the one that was split off from it.
public struct SplitReference: Hashable, Sendable {
    /// The name of the `.dwo` file, as the compiler was told it; empty where it is not said.
    public let fileName: String
    /// What both units share; of two builds it differs.
    public let id: UInt64

    public init(fileName: String, id: UInt64) {
        self.fileName = fileName
        self.id = id
    }
}

/// The files of split-off units that belong to an image.
public struct SplitFiles: Sendable {
    private var packages: [SplitFile] = []
    /// Each `.dwo` file by the ids of its units.
    private var objects: [UInt64: SplitFile] = [:]
    /// The size of all sections together, in bytes.
    private(set) var byteCount: UInt64 = 0

    public init() {}

    public var isEmpty: Bool { packages.isEmpty && objects.isEmpty }

    /// Adds a file. Of several that have the same unit the first one's counts.
    public mutating func add(_ file: SplitFile) {
        byteCount += file.byteCount
        guard let ids = file.objectIDs else {
            packages.append(file)
            return
        }
        for id in ids where objects[id] == nil { objects[id] = file }
    }

    /// The unit with an id; `nil` where no file has it.
    func unit(_ id: UInt64) throws(DwarfError) -> SplitUnit? {
        if let object = objects[id] { return try object.unit(id) }
        for package in packages {
            if let unit = try package.unit(id) { return unit }
        }
        return nil
    }
}
