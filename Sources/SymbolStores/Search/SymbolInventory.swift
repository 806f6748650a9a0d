public import CallStacks
import DebugFiles
import SharedCaches

/// The debug files below some paths, by the images that they describe.
///
/// It is built from headers alone: a few pages of each file are read, however large it is.
public struct SymbolInventory: Sendable {
    /// A slice of a debug file, described by its headers.
    struct Candidate: Hashable, Sendable {
        let path: String
        /// The path to display. For an archive member, the archive's path followed by the member's.
        let name: String
        let architecture: Architecture
        let byteCount: Int
        let hasDebugInformation: Bool
        /// The position in ``SymbolInventory/caches``, or `nil` if the image is not in a shared
        /// cache.
        var cached: CacheReference?
        /// Whether the caller listed the file itself, so that its split units are also searched at
        /// the paths recorded in it.
        var isExplicit = false

        /// Returns the sort key of ``candidates(for:)``.
        fileprivate func rank(_ position: Int) -> (Int, Int, Int, Int) {
            (hasDebugInformation ? 0 : 1, cached == nil ? 1 : 0, -byteCount, position)
        }
    }

    /// A reference to an image in a shared cache.
    struct CacheReference: Hashable, Sendable {
        /// The index of the cache.
        let cache: Int
        let image: CachedImage
    }

    /// The number of debug files found.
    public private(set) var fileCount = 0
    /// Unreadable files, and files listed explicitly that are not debug files.
    public private(set) var problems: [SymbolProblem]
    /// Prevents the removal of unpacked archives.
    private let leases: [ArchiveLease]
    /// The symbol maps, which restore names hidden by bitcode builds.
    let symbolMaps: SymbolMaps
    private var candidates: [ImageID: [Candidate]] = [:]
    /// The shared caches among the files.
    public private(set) var caches: [LocatedCache] = []
    /// The folder that is searched for system images after the paths.
    private let system: SystemFolder?
    /// The folders that are searched for the debug files of files listed explicitly.
    private let debugFolders: [String]
    /// The split units of the files.
    private(set) var splitFiles = SplitFileInventory()

    /// - Parameters:
    ///   - paths: Debug files, `.dSYM` bundles, archives, and folders of them at any depth.
    ///   - archives: The folder for unpacked archives. If it is `nil`, archives are problems.
    ///   - folder: The folder where the findings are stored for the next run.
    ///   - system: The folder that is searched for system images after the paths.
    ///   - debugFolders: The folders where packages install debug files. They are searched for the
    ///     debug information of stripped files listed explicitly.
    public init(
        paths: [String], unpackingIn archives: ArchiveFolder? = nil,
        rememberedIn folder: FileHeaderCacheFolder? = nil, system: SystemFolder? = nil,
        debugFolders: [String] = []
    ) {
        self.system = system
        self.debugFolders = debugFolders
        let search = DebugFileSearch(
            paths, unpackingIn: archives, knowing: folder?.memory(of: paths) ?? FileHeaderCache())
        problems = search.problems
        leases = search.leases
        symbolMaps = search.symbolMaps
        var memory = search.memory
        for file in search.files { add(file, &memory) }
        for cache in search.caches { add(cache) }
        folder?.keep(memory, of: paths)
    }

    /// The identities of all described images.
    public var images: Set<ImageID> { Set(candidates.keys) }

    /// Returns the files that describe `image`: those with debug information first, then images of
    /// shared caches. Both are sorted by descending size, because the largest file usually has the
    /// most information, and then by the order in which they were found.
    func candidates(for image: ImageID) -> [Candidate] {
        let all = (candidates[image] ?? systemCandidates(for: image)).enumerated().sorted {
            $0.element.rank($0.offset) < $1.element.rank($1.offset)
        }
        return all.map(\.element)
    }

    private func systemCandidates(for image: ImageID) -> [Candidate] {
        guard let path = system?.file(of: image), let bytes = try? MappedFile.bytes(of: path),
            let file = try? DebugFile.slices(of: bytes, name: path).files.first, file.id == image
        else { return [] }
        let name = path + (file.installName.map { "\($0)" } ?? "")
        return [
            Candidate(
                path: path, name: name, architecture: file.architecture,
                byteCount: file.byteCount, hasDebugInformation: false)
        ]
    }

    /// Whether nothing was found, and the folder of system images is empty.
    public var isEmpty: Bool { candidates.isEmpty && system?.isEmpty != false }

    private mutating func add(_ found: LocatedCache) {
        guard let architecture = found.architecture else { return }
        fileCount += 1
        for image in found.cache.images {
            guard let id = image.id, found.cache.maps(image) else { continue }
            candidates[id, default: []].append(
                Candidate(
                    path: found.path, name: found.displayPath(of: image),
                    architecture: architecture, byteCount: Int(clamping: image.textSize),
                    hasDebugInformation: false,
                    cached: CacheReference(cache: caches.count, image: image)))
        }
        caches.append(found)
    }

    private mutating func add(
        _ found: DebugFileSearch.Candidate, _ memory: inout FileHeaderCache
    ) {
        let status = found.status ?? (try? FileStatus(of: found.path))
        // Problems of a file listed explicitly are reported in every run.
        if !found.isExplicit, let slices = status.flatMap({ memory.slices(of: $0) }) {
            add(slices, of: found)
            return
        }
        let contents = found.contents()
        let slices = contents.files.map { FileHeaderCache.Slice($0) }
        add(slices, of: found)
        problems += contents.problems.map { SymbolProblem($0, isExplicit: found.isExplicit) }
        if found.isExplicit {
            for file in contents.files { addCompanions(of: file, at: found.path) }
        } else if contents.problems.isEmpty, let status {
            memory.learn(slices, of: status)
        }
    }

    /// Searches for the debug information that a file listed explicitly lacks.
    private mutating func addCompanions(of file: DebugFile, at path: String) {
        if file.kind.isELF { splitFiles.add(besideFileAt: path) }
        guard !file.hasDebugInformation, let image = file.id else { return }
        let companions = DebugFileCompanions(
            of: path, file: file, debugFolders: debugFolders
        ).paths
        for found in DebugFileSearch(companions).files where found.path != path {
            let slices = found.contents().files.filter { $0.id == image }
            add(slices.map { FileHeaderCache.Slice($0) }, of: found)
        }
    }

    private mutating func add(
        _ slices: [FileHeaderCache.Slice], of found: DebugFileSearch.Candidate
    ) {
        if !slices.isEmpty { fileCount += 1 }
        for slice in slices {
            if let kind = slice.splitUnits {
                splitFiles.add(
                    SplitFileInventory.File(path: found.path, name: found.name), kind)
            }
            guard let image = slice.image else { continue }
            if let promised = ImageID(inBuildIDTree: found.name), promised != image {
                problems.append(
                    SymbolProblem(
                        SymbolStoreError(
                            found.name,
                            detail: "has the build ID \(image), but its path has another",
                            suggestion: "the file's own is used"), isExplicit: false))
            }
            candidates[image, default: []].append(
                Candidate(
                    path: found.path, name: found.name, architecture: slice.architecture,
                    byteCount: slice.byteCount, hasDebugInformation: slice.hasDebugInformation,
                    isExplicit: found.isExplicit))
        }
    }
}

extension FileHeaderCache.Slice {
    fileprivate init(_ file: DebugFile) {
        image = file.id
        architecture = file.architecture
        byteCount = file.byteCount
        hasDebugInformation = file.hasDebugInformation
        splitUnits = file.splitUnitsOfOtherFiles
    }
}
