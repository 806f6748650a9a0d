public import CallStacks
public import DebugFiles

/// Companions of debug files: the files that they are read together with, which are `.dwo` files,
/// packages of them, and supplementary files of `dwz`.
///
/// The ids of their units, or their build ID, decide which debug file they belong to.
public struct CompanionFiles: Sendable {
    public enum Kind: Hashable, Sendable {
        case splitUnits(SplitUnitsKind)
        /// A supplementary file with this build ID.
        case supplement(ImageID)
    }

    public struct File: Hashable, Sendable {
        public var path: String
        /// The name, by which debug files refer to their `.dwo` files.
        public var name: String
        public var kind: Kind

        public init(path: String, name: String, kind: Kind) {
            self.path = path
            self.name = name
            self.kind = kind
        }
    }

    private let files: [String: File]
    private var splitFiles = SplitFileInventory()
    private var supplements: [ImageID: [SplitFileInventory.File]] = [:]

    public init(_ files: [File]) {
        self.files = Dictionary(files.map { ($0.path, $0) }) { first, _ in first }
        for file in files {
            let found = SplitFileInventory.File(path: file.path, name: file.name)
            switch file.kind {
            case .splitUnits(let kind): splitFiles.add(found, kind)
            case .supplement(let id): supplements[id, default: []].append(found)
            }
        }
    }

    /// Returns a debug file joined with its companions among the files, and these.
    ///
    /// - Parameter name: The name of the debug file. A package named like it is tried first.
    public func joined(
        _ file: DebugFile, named name: String
    ) -> (file: DebugFile, companions: [File]) {
        let joined = JoinedDebugFile(
            file, at: name, with: splitFiles,
            supplements: file.supplementLink?.id.flatMap { supplements[$0] } ?? [],
            isExplicit: false)
        return (joined.file, joined.parts.compactMap { files[$0.file.path] })
    }
}

extension DebugFile {
    /// The kind of companion of other files that this one is, or `nil` if it is none.
    public var companionKind: CompanionFiles.Kind? {
        if kind == .elfSupplement { return id.map { .supplement($0) } }
        return splitUnitsOfOtherFiles.map { .splitUnits($0) }
    }
}
