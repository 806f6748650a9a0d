/// What was met on the way through one folder that the caller named, to say what is wanting.
struct FolderWalk {
    private(set) var foundDebugFile = false
    /// Whether the folder itself could be listed.
    var isReadable = true
    private var archive: String?
    private var bundles: [String] = []
    private var filledBundles: Set<Substring> = []

    static func isBundle(_ path: String) -> Bool { path.hasSuffix(ending) }

    private static let ending = ".dSYM"

    /// The `.dSYM` bundles without any debug file, in the order of the walk.
    var emptyBundles: [String] { bundles.filter { !filledBundles.contains($0[...]) } }

    mutating func enter(_ folder: String) {
        if Self.isBundle(folder) { bundles.append(folder) }
    }

    mutating func note(_ file: String, _ start: FileStart) {
        if Self.isBundle(file) { bundles.append(file) }
        if start.isDebugFile {
            noteDebugFile(file)
        } else if start.archive != nil, archive == nil {
            archive = file
        }
    }

    /// A file that is a debug file, or an archive of such.
    mutating func noteDebugFile(_ file: String) {
        foundDebugFile = true
        markBundles(above: file)
    }

    private mutating func markBundles(above file: String) {
        var path = file[...]
        // Bytes, because characters take their time, and there may be thousands of paths.
        while let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
            path = path[..<slash]
            if path.utf8.suffix(Self.ending.utf8.count).elementsEqual(Self.ending.utf8) {
                filledBundles.insert(path)
            }
        }
        if Self.isBundle(file) { filledBundles.insert(file[...]) }
    }

    /// That there is no debug file, with the archive that may hold them.
    func nothingFound(below root: String) -> SymbolStoreError {
        guard let archive else {
            return SymbolStoreError(
                root, "holds no debug file", next: "give a dSYM, a debug file, or a folder of them")
        }
        return SymbolStoreError(
            root, "holds no debug file, but an archive", next: "unpack '\(archive)' first")
    }
}
