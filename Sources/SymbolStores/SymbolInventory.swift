public import CallStacks
import DebugFiles

/// Which debug files under some paths describe which images.
///
/// Made from headers alone: of each file a few pages are read, however large it is.
public struct SymbolInventory: Sendable {
    /// One slice of a debug file, by what its headers say.
    struct Candidate: Hashable, Sendable {
        let path: String
        let architecture: Architecture
        let hasDebugInformation: Bool
    }

    /// How many debug files were found.
    public private(set) var fileCount = 0
    /// What could not be read, and files named by the caller that are no debug files.
    public private(set) var problems: [SymbolProblem]
    private var candidates: [ImageID: [Candidate]] = [:]

    /// - Parameter paths: Debug files, `.dSYM` bundles, and folders of them at any depth.
    public init(paths: [String]) {
        let search = DebugFileSearch(paths)
        problems = search.problems
        for file in search.files { add(file) }
    }

    /// The identities of all images that are described.
    public var images: Set<ImageID> { Set(candidates.keys) }

    /// The files that describe `image`: first those with debug information, each group in the order
    /// in which they were found.
    func candidates(for image: ImageID) -> [Candidate] {
        let all = candidates[image] ?? []
        return all.filter(\.hasDebugInformation) + all.filter { !$0.hasDebugInformation }
    }

    private mutating func add(_ found: DebugFileSearch.Candidate) {
        let path = found.path
        do throws(SymbolStoreError) {
            guard let contents = try found.contents() else { return }
            fileCount += 1
            for file in contents.files { add(file, path) }
            if let failure = contents.failures.first {
                throw SymbolStoreError(path, failure.error.reason.description)
            }
        } catch {
            problems.append(SymbolProblem(error, isNamedByCaller: found.isNamedByCaller))
        }
    }

    private mutating func add(_ file: DebugFile, _ path: String) {
        guard let image = file.id else { return }
        candidates[image, default: []].append(
            Candidate(
                path: path, architecture: file.architecture,
                hasDebugInformation: file.hasDebugInformation))
    }
}
