import ByteReading
public import CallStacks
import Crypto
import DebugFiles
import Decompression
import HexadecimalDigits
import JSONText
import Problems
import SymbolIndexes
import SymbolStores

/// Builds the index of one slice, in a worker process.
public struct IndexingJob: Sendable {
    /// The input, and the output other than the index.
    public enum Source: Sendable {
        /// A file, to be compressed to a blob at this path.
        case upload(blob: String)
        /// A file with a known SHA-256, in hexadecimal digits.
        case known(digest: String)
        /// A blob, to be decompressed to this path.
        case blob(inflated: String)
    }

    public var file: String
    /// The size of the file to index: for a blob, the size after decompression.
    public var byteCount: Int64
    public var source: Source
    public var image: ImageID
    public var architecture: String
    /// The path of the index to write.
    public var output: String
    /// The number of threads to read with.
    public var threads: Int
    /// A folder that may have the map of names that a bitcode build hid.
    public var symbolMaps: String?
    /// The files that the debug file may be read together with, or `nil` if there are none.
    public var companions: CompanionsJob?

    public init(
        file: String, byteCount: Int64, source: Source, image: ImageID, architecture: String,
        output: String, threads: Int, symbolMaps: String? = nil,
        companions: CompanionsJob? = nil
    ) {
        self.file = file
        self.byteCount = byteCount
        self.source = source
        self.image = image
        self.architecture = architecture
        self.output = output
        self.threads = threads
        self.symbolMaps = symbolMaps
        self.companions = companions
    }

    /// Runs the job and returns its result as a line of JSON.
    public func run() async -> [UInt8] {
        var writer = JSONWriter()
        await result().write(to: &writer)
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private func result() async -> IndexingResult {
        do {
            let (path, digest) = try prepared()
            return try await index(path, digest: digest)
        } catch let error as StorageError {
            return .failed(error)
        } catch let error as SymbolStoreError {
            return .refused(error.problem.of(nil).description)
        } catch {
            return .refused("\(error)")
        }
    }

    /// Returns the path and the digest of the file to index.
    private func prepared() throws -> (path: String, digest: [UInt8]) {
        switch source {
        case .upload(let blob): (file, try Self.compress(file, to: blob))
        case .known(let digest): (file, [UInt8](hexadecimal: digest) ?? [])
        case .blob(let inflated): (inflated, try Self.inflate(file, to: inflated))
        }
    }

    private func index(_ path: String, digest: [UInt8]) async throws -> IndexingResult {
        let contents = try DebugFile.slices(of: MappedFile.bytes(of: path), name: file)
        let slice = contents.files.first { $0.id == image && $0.architecture.name == architecture }
        guard let slice else { return .refused("has no slice \(image) for \(architecture)") }
        if slice.kind == .elfSupplement {
            // It has names for other files, and nothing to look up.
            return .indexed(
                IndexedSlice(
                    digest: digest.hexadecimal, quality: .nothing, completeness: Completeness(),
                    warnings: []))
        }
        let files = try companions?.files() ?? []
        let joined = CompanionFiles(files.map(\.file)).joined(slice, named: file)
        // A build can have thousands of companions.
        let used = Set(joined.companions)
        if companions?.areRequired == true,
            !files.contains(where: { $0.isOfUpload && used.contains($0.file) })
        {
            return .refused(CompanionsJob.unneeded)
        }
        let built = try await BuiltIndex(
            of: joined.file, name: file, threads: threads, digest: digest,
            names: symbolMaps.flatMap { SymbolMapFolder(path: $0).map(of: image) })
        guard built.summary.quality > .nothing else {
            return .refused(
                "has neither debug information nor symbols: "
                    + "add the dSYM or debug file of the same build")
        }
        var output = try DurableFileWriter(at: output)
        try output.write(built.bytes.span)
        try output.finish()
        return .indexed(
            IndexedSlice(
                digest: digest.hexadecimal, quality: built.summary.quality,
                completeness: try Completeness(
                    built.summary, index: SymbolIndex(FileBytes(built.bytes))),
                warnings: Array(
                    built.summary.warnings.map(\.line).prefix(Self.warningsLimit)),
                companions: try bundle(joined.companions, among: files)))
    }

    /// Writes the bundle of the companions that were used, or returns `nil` if there are none.
    private func bundle(
        _ used: [CompanionFiles.File], among files: [UnpackedCompanion]
    ) throws -> IndexedCompanions? {
        guard let companions, !used.isEmpty else { return nil }
        let (digest, byteCount) = try CompanionBundle.write(used, to: companions.output)
        let used = Set(used)
        return IndexedCompanions(
            digest: digest.hexadecimal, byteCount: byteCount,
            entries: Set(files.filter { used.contains($0.file) }.map(\.entry)).sorted())
    }

    /// The maximum number of warnings stored for a file.
    private static let warningsLimit = 32

    /// Returns the SHA-256 of a file, as a line of hexadecimal digits.
    public static func digestLine(ofFileAt path: String) throws -> [UInt8] {
        var hash = SHA256()
        try readPieces(of: path) { piece in
            unsafe piece.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        }
        return Array(hash.finalize().hexadecimal.utf8) + [UInt8(ascii: "\n")]
    }

    private static func compress(_ file: String, to blob: String) throws -> [UInt8] {
        var hash = SHA256()
        var compressor = try ZstdCompressor()
        var output = try DurableFileWriter(at: blob)
        try readPieces(of: file) { piece in
            unsafe piece.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
            try compressor.add(piece, isLast: false) { try output.write($0) }
        }
        let end: [UInt8] = []
        try compressor.add(end.span, isLast: true) { try output.write($0) }
        try output.finish()
        return Array(hash.finalize())
    }

    static func inflate(_ blob: String, to file: String) throws -> [UInt8] {
        var hash = SHA256()
        var inflater = try ZstdInflater()
        var output = try DurableFileWriter(at: file)
        try readPieces(of: blob) { piece in
            try inflater.add(piece) { bytes in
                unsafe bytes.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
                try output.write(bytes)
            }
        }
        guard inflater.isAtEnd else { throw SymbolStoreError(blob, detail: "is truncated") }
        return Array(hash.finalize())
    }
}
