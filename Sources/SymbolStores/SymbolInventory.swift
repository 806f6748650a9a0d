public import CallStacks
import DebugFiles

/// Which debug files under some paths describe which images.
///
/// Made from headers alone: of each file a few pages are read, however large it is.
public struct SymbolInventory: Sendable {
    /// One slice of a debug file, by what its headers say.
    struct Candidate: Hashable, Sendable {
        let path: String
        /// What people call the file: its path, also inside an archive.
        let name: String
        let architecture: Architecture
        let byteCount: Int
        let hasDebugInformation: Bool

        /// What ``candidates(for:)`` sorts by.
        fileprivate func rank(_ position: Int) -> (Int, Int, Int) {
            (hasDebugInformation ? 0 : 1, -byteCount, position)
        }
    }

    /// How many debug files were found.
    public private(set) var fileCount = 0
    /// What could not be read, and files named by the caller that are no debug files.
    public private(set) var problems: [SymbolProblem]
    /// Keeps unpacked archives from being removed.
    private let leases: [ArchiveLease]
    /// The names that bitcode builds hid.
    let symbolMaps: SymbolMaps
    private var candidates: [ImageID: [Candidate]] = [:]
    /// What was split off from some of the files.
    private(set) var splitFiles = SplitFileInventory()

    /// - Parameters:
    ///   - paths: Debug files, `.dSYM` bundles, archives, and folders of them at any depth.
    ///   - archives: Where archives are unpacked; without it they are problems.
    ///   - folder: Where what is found is kept for the next run.
    public init(
        paths: [String], unpackingIn archives: ArchiveFolder? = nil,
        rememberedIn folder: InventoryFolder? = nil
    ) {
        let search = DebugFileSearch(
            paths, unpackingIn: archives, knowing: folder?.memory(of: paths) ?? InventoryMemory())
        problems = search.problems
        leases = search.leases
        symbolMaps = search.symbolMaps
        var memory = search.memory
        for file in search.files { add(file, &memory) }
        folder?.keep(memory, of: paths)
    }

    /// The identities of all images that are described.
    public var images: Set<ImageID> { Set(candidates.keys) }

    /// The files that describe `image`: first those with debug information, and of each group the
    /// largest, which mostly knows most; of equals the one that was found first.
    func candidates(for image: ImageID) -> [Candidate] {
        let all = (candidates[image] ?? []).enumerated().sorted {
            $0.element.rank($0.offset) < $1.element.rank($1.offset)
        }
        return all.map(\.element)
    }

    private mutating func add(
        _ found: DebugFileSearch.Candidate, _ memory: inout InventoryMemory
    ) {
        let status = found.status ?? (try? FileStatus(of: found.path))
        // What is wrong with a file that the caller named has to be told each time.
        let isTold = found.isNamedByCaller
        if !isTold, let slices = status.flatMap({ memory.slices(of: $0) }) {
            add(slices, of: found)
            return
        }
        let contents = found.contents()
        let slices = contents.files.map { InventoryMemory.Slice($0) }
        add(slices, of: found)
        problems += contents.problems.map { SymbolProblem($0, isNamedByCaller: isTold) }
        if isTold { for file in contents.files { addCompanions(of: file, at: found.path) } }
        if !isTold, contents.problems.isEmpty, let status { memory.learn(slices, of: status) }
    }

    /// Looks beside a file that was named for the debug information that it lacks.
    private mutating func addCompanions(of file: DebugFile, at path: String) {
        if file.kind.isELF { splitFiles.add(besideFileAt: path) }
        guard !file.hasDebugInformation, let image = file.id else { return }
        let places = DebugFileCompanions(of: path, file).paths
        for found in DebugFileSearch(places).files where found.path != path {
            let slices = found.contents().files.filter { $0.id == image }
            add(slices.map { InventoryMemory.Slice($0) }, of: found)
        }
    }

    private mutating func add(
        _ slices: [InventoryMemory.Slice], of found: DebugFileSearch.Candidate
    ) {
        if !slices.isEmpty { fileCount += 1 }
        for slice in slices {
            if let kind = slice.splitUnits, !slice.hasDebugInformation {
                splitFiles.add(
                    SplitFileInventory.Place(path: found.path, name: found.name), kind)
            }
            guard let image = slice.image else { continue }
            if let promised = ImageID(inBuildIDTree: found.name), promised != image {
                problems.append(
                    SymbolProblem(
                        SymbolStoreError(
                            found.name, "has the build id \(image), its path names another",
                            next: "its own is used"), isNamedByCaller: false))
            }
            candidates[image, default: []].append(
                Candidate(
                    path: found.path, name: found.name, architecture: slice.architecture,
                    byteCount: slice.byteCount, hasDebugInformation: slice.hasDebugInformation))
        }
    }
}

extension InventoryMemory.Slice {
    fileprivate init(_ file: DebugFile) {
        image = file.id
        architecture = file.architecture
        byteCount = file.byteCount
        hasDebugInformation = file.hasDebugInformation
        splitUnits = file.splitUnits
    }
}
