import SymbolStores

/// The companions that a worker process indexes a debug file with.
public struct CompanionsJob: Sendable {
    /// The path of a ``CompanionList``.
    public var list: String
    /// A folder for unpacked files.
    public var folder: String
    /// The path of the ``CompanionBundle`` to write with those that the debug file needs.
    public var output: String
    /// Whether to refuse a debug file that refers to none of an upload's files, without indexing it.
    public var areRequired: Bool

    public init(list: String, folder: String, output: String, areRequired: Bool = false) {
        self.list = list
        self.folder = folder
        self.output = output
        self.areRequired = areRequired
    }

    /// The refusal of a debug file because of ``areRequired``.
    static let unneeded = "refers to none of these files"

    /// Writes a list for a worker process.
    ///
    /// - Parameters:
    ///   - drafts: The prefix of the files of this job.
    ///   - areRequired: See ``areRequired``.
    init(
        of list: CompanionList, drafts: String, areRequired: Bool = false
    ) throws(StorageError) {
        self.init(
            list: drafts + ".list", folder: drafts + ".unpacked",
            output: Self.bundle(of: drafts), areRequired: areRequired)
        try DataFolders.make(folder)
        try list.write(to: self.list)
    }

    /// Returns the path of the bundle that a job writes.
    static func bundle(of drafts: String) -> String { drafts + ".bundle" }

    /// Returns the files of the list, unpacked where necessary, each with the number of its entry.
    func files() throws -> [UnpackedCompanion] {
        var files: [UnpackedCompanion] = []
        for (number, entry) in try CompanionList(path: list).entries.enumerated() {
            let unpacked = "\(folder)/\(number)"
            switch entry.content {
            case .file(let file):
                files.append(UnpackedCompanion(file: file, entry: number, isOfUpload: true))
            case .blob(var file):
                _ = try IndexingJob.inflate(file.path, to: unpacked)
                file.path = unpacked
                files.append(UnpackedCompanion(file: file, entry: number))
            case .bundle(let path):
                _ = try IndexingJob.inflate(path, to: unpacked)
                try DataFolders.make(unpacked + "-files")
                files += try CompanionBundle.unpack(unpacked, into: unpacked + "-files").map {
                    UnpackedCompanion(file: $0, entry: number)
                }
                try removeFile(unpacked)
            }
        }
        return files
    }
}

/// A file of a ``CompanionList``, unpacked.
struct UnpackedCompanion {
    var file: CompanionFiles.File
    /// The number of its entry in the list.
    var entry: Int
    var isOfUpload = false
}

/// The companions that a debug file was indexed with.
struct IndexedCompanions: Hashable, Sendable {
    /// The SHA-256 of their bundle, in lower-case hexadecimal digits.
    var digest: String
    /// The size of the bundle, before compression.
    var byteCount: Int64
    /// The numbers of the entries in the list that were used.
    var entries: [Int]
}
