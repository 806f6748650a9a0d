import Archives
import ByteReading
import Glibc
import SymbolStores

/// A compressed copy of a debug file, in a file without a name: it is gone with the process,
/// however that ends.
final class PackedFile: Sendable {
    private let descriptor: Int32
    /// In bytes.
    let byteCount: Int64

    /// - Parameters:
    ///   - folder: Where there is room for it.
    ///   - blank: Bytes that become zeros: so they take no room, and everything else keeps its place.
    init(
        packing bytes: FileBytes, named name: String, in folder: String, blank: Range<Int> = 0..<0
    ) throws(UploadError) {
        descriptor = try Self.namelessFile(in: folder)
        do throws(ArchiveError.Reason) {
            try Self.pack(bytes, into: descriptor, blank: blank)
        } catch {
            close(descriptor)
            throw UploadError(ArchiveError(name, error).description)
        }
        byteCount = Int64(lseek(descriptor, 0, SEEK_END))
    }

    deinit { close(descriptor) }

    private static func pack(
        _ bytes: FileBytes, into descriptor: Int32, blank: Range<Int>
    ) throws(ArchiveError.Reason) {
        var writer = try ZstdWriter.open(descriptor)
        for start in stride(from: 0, to: bytes.count, by: pieceLength) {
            let range = start..<min(start + pieceLength, bytes.count)
            let blanked = blank.clamped(to: range)
            try append(range.lowerBound..<blanked.lowerBound, of: bytes, to: &writer)
            try writer.append([UInt8](repeating: 0, count: blanked.count).span)
            try append(blanked.upperBound..<range.upperBound, of: bytes, to: &writer)
            bytes.release(range)
        }
        try writer.finish()
    }

    private static func append(
        _ range: Range<Int>, of bytes: FileBytes, to writer: inout ZstdWriter
    ) throws(ArchiveError.Reason) {
        try bytes.withSpan(of: range) { span throws(ArchiveError.Reason) in
            try writer.append(span)
        }
    }

    private static func namelessFile(in folder: String) throws(UploadError) -> Int32 {
        let path = "\(folder)/symbolist-\(UInt64.random(in: 0 ... .max))"
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw UploadError(
                "\(folder): cannot be written: \(systemMessage(errno)): choose another with TMPDIR")
        }
        _ = unsafe unlink(path)
        return descriptor
    }

    /// At most `count` bytes from `offset` on; none at the end.
    func bytes(at offset: Int64, count: Int) throws(UploadError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            let read = unsafe pread(descriptor, &bytes, count, Int(offset))
            if read >= 0 { return Array(bytes.prefix(read)) }
            guard errno == EINTR else { throw UploadError("compressed copy: cannot be read") }
        }
    }

    private static let pieceLength = 1 << 20
}

/// Why a file could not be sent, with the next step.
public struct UploadError: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String

    init(_ description: String) { self.description = description }
}
