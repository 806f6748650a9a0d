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
        public let quality: DebugFileSummary.Quality
        public let warnings: [DebugFileWarning]
        let bytes: FileBytes
        /// The bytes that symbolication does not need.
        let swiftModules: Range<Int>?

        /// The name of its file.
        public var name: String { fileName(of: path) }
    }

    public private(set) var fileCount = 0
    /// The best slice of each image.
    public private(set) var slices: [Slice] = []
    /// Files that are not worth sending.
    public private(set) var skipped: [UploadRow] = []
    public let problems: [SymbolProblem]

    private var indices: [ImageID: Int] = [:]

    /// - Parameters:
    ///   - paths: Debug files, `.dSYM` bundles, archives, and folders of them at any depth.
    ///   - archives: The folder to unpack archives in; without it, archives are reported as
    ///     problems.
    ///   - choice: A filter for the files.
    public init(
        paths: [String], unpackingIn archives: ArchiveFolder?, choosing choice: PathFilter = .all
    ) {
        // The service indexes each file separately.
        let inspection = DebugFileInspection(
            paths: paths, unpackingIn: archives, joinsParts: false)
        problems = inspection.problems
        let chosen = inspection.slices.filter { choice.contains($0.path) }
        fileCount = Set(chosen.map(\.path)).count
        for slice in chosen where !slice.file.kind.isObject { add(slice) }
    }

    private mutating func add(_ found: DebugFileInspection.Slice) {
        guard let image = found.file.id else { return skip(found, reason: "no-identity") }
        guard found.summary.quality > .nothing else { return skip(found, reason: "has no symbols") }
        let slice = Slice(
            path: found.path, image: image, architecture: found.file.architecture.name,
            quality: found.summary.quality, warnings: found.summary.warnings,
            bytes: found.file.bytes, swiftModules: found.file.swiftModules)
        guard let index = indices[image] else {
            indices[image] = slices.count
            return slices.append(slice)
        }
        // Among equal slices, the first one wins, as on the server.
        let isBetter = slice.quality > slices[index].quality
        let other = isBetter ? slices[index] : slice
        if isBetter { slices[index] = slice }
        skipped.append(
            UploadRow(other, status: .skipped, reason: "duplicate of \(slices[index].path)"))
    }

    private mutating func skip(_ found: DebugFileInspection.Slice, reason: String) {
        skipped.append(
            UploadRow(
                path: found.path, architecture: found.file.architecture.name,
                image: found.file.id, quality: found.summary.quality, status: .skipped,
                reason: reason, byteCount: Int64(found.file.byteCount),
                warnings: found.summary.warnings))
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
