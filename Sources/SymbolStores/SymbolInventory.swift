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
    private var candidates: [ImageID: [Candidate]] = [:]

    /// - Parameters:
    ///   - paths: Debug files, `.dSYM` bundles, archives, and folders of them at any depth.
    ///   - archives: Where archives are unpacked; without it they are problems.
    public init(paths: [String], unpackingIn archives: ArchiveFolder? = nil) {
        let search = DebugFileSearch(paths, unpackingIn: archives)
        problems = search.problems
        leases = search.leases
        for file in search.files { add(file) }
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

    private mutating func add(_ found: DebugFileSearch.Candidate) {
        let contents = found.contents()
        if !contents.files.isEmpty { fileCount += 1 }
        for file in contents.files { add(file, found) }
        problems += contents.problems.map {
            SymbolProblem($0, isNamedByCaller: found.isNamedByCaller)
        }
    }

    private mutating func add(_ file: DebugFile, _ found: DebugFileSearch.Candidate) {
        guard let image = file.id else { return }
        candidates[image, default: []].append(
            Candidate(
                path: found.path, name: found.name, architecture: file.architecture,
                byteCount: file.byteCount,
                hasDebugInformation: file.hasDebugInformation))
    }
}
