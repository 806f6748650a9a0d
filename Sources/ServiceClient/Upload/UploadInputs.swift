import ByteReading
public import CallStacks
public import DebugFiles
public import SymbolStores

/// The debug files in some paths that are worth uploading.
public struct UploadInputs: Sendable {
    /// One slice of a file, which is sent separately.
    public struct Slice: Sendable {
        /// The path of its file, prefixed with that of its archive if it is in one.
        public let path: String
        public let image: ImageID
        public let architecture: String
        public let kind: DebugFileKind
        public let quality: DebugFileSummary.Quality
        public fileprivate(set) var warnings: [DebugFileWarning]
        let bytes: FileBytes
        /// The symbol map with the names that the build hid, and the property list that refers to
        /// it; empty if no names are hidden, or there is no map.
        let symbolMap: [SymbolMapPart]
        /// The bytes that symbolication does not need.
        let swiftModules: Range<Int>?
        /// The split units of the file, which are sent with it. The server reads them together.
        let splitUnits: [(name: String, bytes: FileBytes)]
        /// Whether it is sent only for the code that its image's debug file lacks. The server
        /// stores it in addition to the debug file, which must be uploaded first.
        fileprivate(set) var isExecutable = false

        /// Whether it has names for other files and nothing to look up. It is sent before these.
        var isSupplement: Bool { kind == .elfSupplement }

        /// The name of its file.
        public var name: String { fileName(of: path) }
    }

    public private(set) var fileCount = 0
    /// The best slice of each image, followed by the executables of separate debug files.
    public private(set) var slices: [Slice] = []
    /// Files that are not worth sending.
    public private(set) var skipped: [UploadRow] = []
    public let problems: [SymbolProblem]

    /// - Parameters:
    ///   - paths: Debug files, `.dSYM` bundles, archives, and folders of them at any depth.
    ///   - archives: The folder to unpack archives in; without it, archives are reported as
    ///     problems.
    ///   - choice: A filter for the files.
    public init(
        paths: [String], unpackingIn archives: ArchiveFolder?, choosing choice: PathFilter = .all
    ) {
        let inspection = DebugFileInspection(paths: paths, unpackingIn: archives)
        problems = inspection.problems
        let chosen = inspection.slices.filter { choice.contains($0.path) }
        fileCount = Set(chosen.map(\.path)).count
        var found: [Slice] = []
        for slice in chosen where !slice.file.kind.isObject {
            if let slice = Slice(slice) {
                found.append(slice)
            } else {
                skipped.append(UploadRow(skipping: slice, reason: "no-identity"))
            }
        }
        choose(among: found)
    }

    private mutating func choose(among found: [Slice]) {
        var choices: [ImageID: Choice] = [:]
        for index in found.indices {
            choices[found[index].image, default: Choice()].consider(index, of: found)
        }
        var executables: [Slice] = []
        for (index, slice) in found.enumerated() {
            let choice = choices[slice.image]
            let best = choice?.best.map { found[$0] }
            if index == choice?.best {
                slices.append(slice)
            } else if index == choice?.executable, best?.kind == .elfDebug {
                executables.append(slice.asExecutable)
            } else if let best, slice.quality > .nothing {
                skip(slice, reason: "duplicate of \(best.path)")
            } else {
                skip(slice, reason: "has no symbols")
            }
        }
        slices += executables
    }

    private mutating func skip(_ slice: Slice, reason: String) {
        skipped.append(UploadRow(slice, status: .skipped, reason: reason))
    }

    /// The indices of the slices of an image that are sent.
    private struct Choice {
        /// The slice with the most symbols. Among equal ones, the first one wins, as on the server.
        var best: Int?
        /// The first ELF file with code.
        var executable: Int?

        mutating func consider(_ index: Int, of found: [Slice]) {
            let slice = found[index]
            if slice.quality > (best.map { found[$0].quality } ?? .nothing) { best = index }
            if slice.isSupplement, best == nil { best = index }
            if executable == nil, slice.kind.isELFWithCode { executable = index }
        }
    }
}

extension UploadInputs.Slice {
    /// Returns `nil` if the file has no identity.
    fileprivate init?(_ found: DebugFileInspection.Slice) {
        guard let image = found.file.id else { return nil }
        self.init(
            path: found.path, image: image, architecture: found.file.architecture.name,
            kind: found.file.kind, quality: found.summary.quality,
            warnings: found.summary.warnings, bytes: found.file.bytes,
            symbolMap: found.symbolMapFiles.compactMap(SymbolMapPart.init),
            swiftModules: found.file.swiftModules, splitUnits: Self.splitUnits(of: found))
    }

    /// A supplementary file, which other debug files may share, is sent on its own.
    private static func splitUnits(
        of found: DebugFileInspection.Slice
    ) -> [(name: String, bytes: FileBytes)] {
        found.companions.compactMap { companion in
            guard let bytes = try? MappedFile.bytes(of: companion.path),
                let file = try? DebugFile.slices(of: bytes, name: companion.name).files.first,
                file.splitUnitsOfOtherFiles != nil
            else { return nil }
            return (fileName(of: companion.name), bytes)
        }
    }

    fileprivate var asExecutable: Self {
        var slice = self
        slice.isExecutable = true
        // The debug file has the debug information, so warnings about missing parts do not apply.
        slice.warnings = []
        return slice
    }
}

extension UploadRow {
    fileprivate init(skipping found: DebugFileInspection.Slice, reason: String) {
        self.init(
            path: found.path, architecture: found.file.architecture.name, image: found.file.id,
            quality: found.summary.quality, status: .skipped, reason: reason,
            byteCount: Int64(found.file.byteCount), warnings: found.summary.warnings)
    }
}

/// The result for one slice.
public struct UploadRow: Sendable {
    /// The raw values are those of `--json`.
    public enum Status: String, Sendable {
        case uploaded, present, failed, skipped
        /// The server does not have it, and this is a dry run.
        case missing
    }

    public var path: String
    public var architecture: String
    public var image: ImageID?
    public var quality: DebugFileSummary.Quality
    public var status: Status
    public var reason: String?
    /// The size of the slice.
    public var byteCount: Int64
    /// The number of bytes sent.
    public var sentByteCount: Int64 = 0
    public var warnings: [DebugFileWarning]
    /// Whether the server has stored it but not indexed it yet.
    var isBeingIndexed = false

    public var name: String { fileName(of: path) }
}

extension UploadRow {
    init(_ slice: UploadInputs.Slice, status: Status, reason: String? = nil) {
        self.init(
            path: slice.path, architecture: slice.architecture, image: slice.image,
            quality: slice.quality, status: status, reason: reason,
            byteCount: Int64(slice.bytes.count), warnings: slice.warnings)
    }
}

func fileName(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
}
