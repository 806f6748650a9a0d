/// The findings in one folder listed by the caller, used to explain what is missing.
struct FolderWalk {
    private(set) var foundDebugFile = false
    /// Whether the folder itself could be listed.
    var isReadable = true
    private var archive: String?
    /// A link to a folder, which is not followed.
    private var link: String?
    private var bundles: [String] = []
    private var filledBundles: Set<Substring> = []

    static func isBundle(_ path: String) -> Bool { path.hasSuffix(ending) }

    private static let ending = ".dSYM"

    /// The `.dSYM` bundles without a debug file, in the order of the walk.
    var emptyBundles: [String] { bundles.filter { !filledBundles.contains($0[...]) } }

    mutating func enter(_ folder: String) {
        if Self.isBundle(folder) { bundles.append(folder) }
    }

    mutating func recordLink(_ path: String) { link = link ?? path }

    mutating func add(_ file: String, _ start: FileSignature) {
        if Self.isBundle(file) { bundles.append(file) }
        if start.isDebugFile {
            recordDebugFile(file)
        } else if start.archive != nil, archive == nil {
            archive = file
        }
    }

    /// Records a debug file, or an archive of debug files.
    mutating func recordDebugFile(_ file: String) {
        foundDebugFile = true
        markBundles(above: file)
    }

    private mutating func markBundles(above file: String) {
        var path = file[...]
        // Bytes, because characters are slow and there may be thousands of paths.
        while let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
            path = path[..<slash]
            if path.utf8.suffix(Self.ending.utf8.count).elementsEqual(Self.ending.utf8) {
                filledBundles.insert(path)
            }
        }
        if Self.isBundle(file) { filledBundles.insert(file[...]) }
    }

    /// Returns the error that there is no debug file, with the archive that may contain some.
    func nothingFound(below root: String) -> SymbolStoreError {
        if archive == nil, let link {
            return SymbolStoreError(
                root, detail: "contains no debug file, but a link to a folder",
                suggestion: "pass '\(link)'")
        }
        guard let archive else {
            return SymbolStoreError(
                root, detail: "contains no debug file",
                suggestion: "use a dSYM, a debug file, or a folder of them")
        }
        return SymbolStoreError(
            root, detail: "contains no debug file, but an archive",
            suggestion: "unpack '\(archive)' first")
    }
}
