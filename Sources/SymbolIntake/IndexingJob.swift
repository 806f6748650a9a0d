import ByteReading
public import CallStacks
import Crypto
import DebugFiles
import Decompression
import JSONText
import SymbolIndexes
import SymbolStores

/// Builds the index of one slice; run in a child of the service.
public struct IndexingJob: Sendable {
    /// Where the file comes from, and what is wanted of it beside the index.
    public enum Source: Sendable {
        /// A file, of which a blob is made at a path.
        case upload(blob: String)
        /// A file whose SHA-256 is known, in hexadecimal digits.
        case known(digest: String)
        /// A blob, which is inflated to a path.
        case blob(inflated: String)
    }

    public var file: String
    /// Of the file that is indexed, which may be the one that a blob inflates to.
    public var byteCount: Int64
    public var source: Source
    public var image: ImageID
    public var architecture: String
    /// Where the index goes.
    public var output: String
    /// How many may read at a time.
    public var threads: Int

    public init(
        file: String, byteCount: Int64, source: Source, image: ImageID, architecture: String,
        output: String, threads: Int
    ) {
        self.file = file
        self.byteCount = byteCount
        self.source = source
        self.image = image
        self.architecture = architecture
        self.output = output
        self.threads = threads
    }

    /// What became of it, as JSON for the service.
    public func run() async -> [UInt8] {
        var writer = JSONWriter()
        await result().write(to: &writer)
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private func result() async -> IndexingResult {
        do {
            let (path, digest) = try prepared()
            return try await index(path, digest)
        } catch let failure as FileFailure {
            return .failed(failure.description, isFull: failure.isFull)
        } catch let error as SymbolStoreError {
            return .refused([error.what, error.next].compactMap(\.self).joined(separator: ": "))
        } catch {
            return .refused("\(error)")
        }
    }

    /// The file to index, and its digest.
    private func prepared() throws -> (path: String, digest: [UInt8]) {
        switch source {
        case .upload(let blob): (file, try Self.compress(file, to: blob))
        case .known(let digest): (file, [UInt8](hexadecimal: digest))
        case .blob(let inflated): (inflated, try Self.inflate(file, to: inflated))
        }
    }

    private func index(_ path: String, _ digest: [UInt8]) async throws -> IndexingResult {
        let contents = try DebugFile.slices(of: MappedFile.bytes(of: path), name: file)
        let slice = contents.files.first { $0.id == image && $0.architecture.name == architecture }
        guard let slice else { return .refused("holds no slice \(image) for \(architecture)") }
        let built = try await BuiltIndex(of: slice, name: file, threads: threads, digest: digest)
        guard built.summary.quality > .nothing else {
            return .refused(
                "holds neither debug information nor symbols: "
                    + "give the dSYM or debug file made beside it")
        }
        var output = try NewFile(at: output)
        try output.write(built.bytes.span)
        try output.finish()
        return .indexed(
            IndexedSlice(
                digest: digest.hexadecimal, quality: built.summary.quality,
                completeness: try Completeness(
                    built.summary, SymbolIndex(FileBytes(built.bytes))),
                warnings: Array(built.summary.warnings.map(\.line).prefix(Self.warningsLimit))))
    }

    /// How many warnings are kept of a file.
    private static let warningsLimit = 32

    /// The SHA-256 of a file, as a line of hexadecimal digits.
    public static func digestLine(ofFileAt path: String) throws -> [UInt8] {
        var hash = SHA256()
        try readPieces(of: path) { piece in
            unsafe piece.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        }
        return Array(Array(hash.finalize()).hexadecimal.utf8) + [UInt8(ascii: "\n")]
    }

    private static func compress(_ file: String, to blob: String) throws -> [UInt8] {
        var hash = SHA256()
        var compressor = try ZstdCompressor()
        var output = try NewFile(at: blob)
        try readPieces(of: file) { piece in
            unsafe piece.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
            try compressor.add(piece, isLast: false) { try output.write($0) }
        }
        let end: [UInt8] = []
        try compressor.add(end.span, isLast: true) { try output.write($0) }
        try output.finish()
        return Array(hash.finalize())
    }

    private static func inflate(_ blob: String, to file: String) throws -> [UInt8] {
        var hash = SHA256()
        var inflater = try ZstdInflater()
        var output = try NewFile(at: file)
        try readPieces(of: blob) { piece in
            try inflater.add(piece) { bytes in
                unsafe bytes.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
                try output.write(bytes)
            }
        }
        guard inflater.isAtEnd else { throw SymbolStoreError(blob, "is cut short") }
        return Array(hash.finalize())
    }
}

extension [UInt8] {
    /// The bytes of pairs of hexadecimal digits; other characters are left out.
    init(hexadecimal text: String) {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        self = stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }

    /// In lower case.
    var hexadecimal: String {
        map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }.joined()
    }
}
