/// A reference from a skeleton unit to its split unit.
public struct SplitReference: Hashable, Sendable {
    /// The name of the `.dwo` file as given to the compiler, or empty if it is missing.
    public let fileName: String
    /// The compilation folder, which a relative ``fileName`` starts from, or empty if it is missing.
    public let folder: String
    /// The id that both units share. It differs between builds.
    public let id: UInt64

    public init(fileName: String, folder: String = "", id: UInt64) {
        self.fileName = fileName
        self.folder = folder
        self.id = id
    }
}

/// The files of an image's split units.
public struct SplitFiles: Sendable {
    private var packages: [SplitFile] = []
    /// The `.dwo` files by the ids of their units.
    private var objects: [UInt64: SplitFile] = [:]
    /// The total size of the sections, in bytes.
    private(set) var byteCount: UInt64 = 0

    public init() {}

    public var isEmpty: Bool { packages.isEmpty && objects.isEmpty }

    /// Adds a file. Of several with the same unit, the first one counts.
    public mutating func add(_ file: SplitFile) {
        byteCount += file.byteCount
        guard let ids = file.objectIDs else {
            packages.append(file)
            return
        }
        for id in ids where objects[id] == nil { objects[id] = file }
    }

    /// Returns the unit with an id, or `nil` if no file contains it.
    ///
    /// - Parameter budget: The budget for the bytes that are read to find it.
    func unit(_ id: UInt64, budget: WorkBudget) throws(DwarfError) -> SplitUnit? {
        if let object = objects[id] { return try object.unit(id, budget: budget) }
        for package in packages {
            if let unit = try package.unit(id, budget: budget) { return unit }
        }
        return nil
    }
}
