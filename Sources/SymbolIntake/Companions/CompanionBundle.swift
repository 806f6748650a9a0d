import ByteReading
import Crypto
import Decompression
import HexadecimalDigits
import SymbolStores

/// The companions of a debug file in one file, which is stored like an uploaded file:
///
///     symbolist companions 1\n
///     for each file: kind\0 name\0 size (8 bytes, little-endian) contents
///
/// The same companions result in the same bytes, so a bundle that is uploaded again is not stored
/// twice.
enum CompanionBundle {
    private static let signature = Array("symbolist companions 1\n".utf8)

    /// Writes a bundle, compressed like a blob.
    ///
    /// - Returns: The SHA-256 of the bundle, and its size before compression.
    static func write(
        _ files: [CompanionFiles.File], to path: String
    ) throws -> (digest: [UInt8], byteCount: Int64) {
        var hash = SHA256()
        var byteCount: Int64 = 0
        var compressor = try ZstdCompressor()
        var output = try DurableFileWriter(at: path)
        func add(_ piece: Span<UInt8>, isLast: Bool = false) throws {
            unsafe piece.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
            byteCount += Int64(piece.count)
            try compressor.add(piece, isLast: isLast) { try output.write($0) }
        }
        try add(signature.span)
        for file in files {
            let size = try FileStatus(of: file.path).size
            let header = Array("\(file.kind.word)\0\(file.name)\0".utf8) + bytes(of: size)
            try add(header.span)
            try readPieces(of: file.path) { try add($0) }
        }
        let end: [UInt8] = []
        try add(end.span, isLast: true)
        try output.finish()
        return (Array(hash.finalize()), byteCount)
    }

    private static func bytes(of size: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
    }

    /// Writes the files of a bundle, which is not compressed, to a folder.
    static func unpack(_ path: String, into folder: String) throws -> [CompanionFiles.File] {
        let bundle = try MappedFile.bytes(of: path)
        var cursor = ByteCursor(bundle)
        for byte in signature where try cursor.number(UInt8.self) != byte {
            throw cursor.error(.malformed("is not a bundle of companions"))
        }
        var files: [CompanionFiles.File] = []
        while !cursor.isAtEnd {
            let word = try cursor.text()
            let name = try cursor.text()
            let size = try cursor.number(UInt64.self)
            guard let kind = CompanionFiles.Kind(word: word)
            else { throw cursor.error(.malformed("'\(word)' is not a kind of companion")) }
            let contents = try bundle.slice(at: cursor.offset, count: size, subject: name)
            let file = "\(folder)/\(files.count)"
            var output = try DurableFileWriter(at: file)
            try contents.withSpan(of: 0..<contents.count) { try output.write($0) }
            contents.release(0..<contents.count)
            try cursor.skip(size)
            files.append(CompanionFiles.File(path: file, name: name, kind: kind))
        }
        return files
    }
}
