import Archives
import CallStacks
import DebugFiles
import JSONText
import SymbolStores

/// Lists what an upload holds; run in a child of the service.
public struct ListingJob: Sendable {
    /// What was uploaded: one debug file, an archive, or a folder of them.
    public var bundle: String
    /// A folder for what is in it.
    public var folder: String
    /// What the client called it.
    public var name: String

    /// The most lines that are written; a build has a few hundred files.
    var linesLimit = 20_000

    private let archiveLimits: ArchiveLimits

    /// - Parameter unpackedBytesLimit: The most that an archive may unpack to, in bytes.
    public init(bundle: String, folder: String, name: String, unpackedBytesLimit: Int64) {
        var limits = ArchiveLimits()
        limits.unpackedBytes = unpackedBytesLimit
        archiveLimits = limits
        self.bundle = bundle
        self.folder = folder
        self.name = name
    }

    /// Hands on one JSON object at a time, each with the line break behind it.
    public func run(_ write: ([UInt8]) -> Void) {
        var writer = JSONWriter()
        var count = 0
        forEachLine { line in
            guard count <= linesLimit else { return }
            count += 1
            let line =
                count > linesLimit
                ? .refusal(name: name, reason: "holds more than \(linesLimit) files") : line
            line.write(to: &writer)
            write(writer.bytes + [UInt8(ascii: "\n")])
            writer.removeAll()
        }
    }

    private func forEachLine(_ body: (ListedLine) -> Void) {
        let listing = DebugFileListing(
            paths: [bundle], unpackingIn: ArchiveFolder(path: folder, limits: archiveLimits))
        for problem in listing.problems { body(line(problem.error)) }
        for entry in listing {
            for problem in entry.problems { body(line(problem.error)) }
            guard !entry.files.isEmpty else { continue }
            let slices = entry.files.map { file in
                ListedFile.Slice(
                    image: file.id, architecture: file.architecture.name,
                    kind: file.kind.rawValue, warnings: file.warnings.map(\.line))
            }
            let size = (try? FileStatus(of: entry.path).size) ?? 0
            body(
                .file(
                    ListedFile(
                        path: entry.path, name: name(of: entry.name), byteCount: size,
                        slices: slices)))
        }
    }

    private func line(_ error: SymbolStoreError) -> ListedLine {
        if error.isDiskFull { return .full(reason: "symbols: \(error.what): free some space") }
        let reason = [error.what, error.next].compactMap(\.self).joined(separator: ": ")
        return .refusal(name: name(of: error.subject), reason: reason)
    }

    /// What answers call a file: the client's own name, or the place in what it sent.
    private func name(of path: String) -> String {
        guard path.hasPrefix(bundle + "/") else { return name }
        let place = String(path.dropFirst(bundle.count + 1))
        // What was compressed by itself is named after the bundle, whose name is ours.
        return bundle.hasSuffix("/" + place) ? name : place
    }
}
