import Archives
import CallStacks
import DebugFiles
import JSONText
import Problems
import SymbolStores

/// Lists the contents of an upload, in a worker process.
public struct ListingJob: Sendable {
    /// The upload: a debug file, an archive, or a folder of them.
    public var bundle: String
    /// A folder for unpacked files.
    public var folder: String
    /// The client's name for the upload.
    public var name: String

    /// The maximum number of output lines. A build has a few hundred files.
    var linesLimit = 20_000

    private let archiveLimits: UnpackingLimits

    /// - Parameter unpackedBytesLimit: The size limit for the contents of an archive, in bytes.
    public init(bundle: String, folder: String, name: String, unpackedBytesLimit: Int64) {
        var limits = UnpackingLimits()
        limits.unpackedBytes = unpackedBytesLimit
        archiveLimits = limits
        self.bundle = bundle
        self.folder = folder
        self.name = name
    }

    /// Passes the listing to `write`, one JSON object at a time, each followed by a line break.
    public func run(_ write: ([UInt8]) -> Void) {
        var writer = JSONWriter()
        var count = 0
        forEachLine { line in
            guard count <= linesLimit else { return }
            count += 1
            let line =
                count > linesLimit
                ? .refusal(name: name, reason: "has more than \(linesLimit) files") : line
            line.write(to: &writer)
            write(writer.bytes + [UInt8(ascii: "\n")])
            writer.removeAll()
        }
    }

    /// Returns the build that the first of some property lists names, as a line of JSON; empty if
    /// there is none.
    public static func buildLine(ofFilesAt paths: [String]) -> [UInt8] {
        guard let build = BundlePropertyLists.build(in: paths) else { return [] }
        var writer = JSONWriter()
        ListingLine.build(build).write(to: &writer)
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private func forEachLine(_ body: (ListingLine) -> Void) {
        if let part = SymbolMapFolder.Part(path: bundle, named: name) {
            return body(.symbolMap(SymbolMapFile(part, at: bundle)))
        }
        let listing = DebugFileListing(
            paths: [bundle], unpackingIn: ArchiveFolder(path: folder, limits: archiveLimits))
        if let build = BundlePropertyLists.build(in: listing.propertyLists.paths) {
            body(.build(build))
        }
        for problem in listing.problems { body(line(problem.error)) }
        for map in listing.symbolMapFiles { Self.line(map).map(body) }
        for entry in listing {
            for problem in entry.problems { body(line(problem.error)) }
            guard !entry.files.isEmpty else { continue }
            let slices = entry.files.map { file in
                ListedFile.Slice(
                    image: file.id, architecture: file.architecture.name,
                    kind: file.kind.rawValue, systemName: file.systemImageName,
                    companion: file.companionKind, supplement: file.supplementLink?.id,
                    warnings: file.warnings.map(\.line))
            }
            let size = (try? FileStatus(of: entry.path).size) ?? 0
            body(
                .file(
                    ListedFile(
                        path: entry.path, name: name(of: entry.name), byteCount: size,
                        slices: slices)))
        }
    }

    /// - Returns: `nil` for a property list that refers to no map.
    private static func line(_ map: SymbolMapFile) -> ListingLine? {
        let name = map.part.fileName
        if SymbolMapFolder.Part(path: map.path, named: name) != nil { return .symbolMap(map) }
        return map.part.isMap
            ? .refusal(name: name, reason: "is not a symbol map: download it again") : nil
    }

    private func line(_ error: SymbolStoreError) -> ListingLine {
        if error.isDiskFull { return .full(detail: error.problem.detail) }
        return .refusal(
            name: name(of: error.problem.subject ?? bundle),
            reason: error.problem.of(nil).description)
    }

    /// Returns the name shown to the client: the client's own name, or the path inside its upload.
    private func name(of path: String) -> String {
        guard path.hasPrefix(bundle + "/") else { return name }
        let pathInBundle = String(path.dropFirst(bundle.count + 1))
        // A single compressed file is unpacked under the bundle's own, internal name.
        return bundle.hasSuffix("/" + pathInBundle) ? name : shownPath(pathInBundle)
    }
}
