import Archives
import ByteReading
import Glibc
public import Problems
import SymbolStores

/// A compressed copy of a debug file, in an unlinked file that disappears when the process ends.
final class CompressedCopy: Sendable {
    private let descriptor: Int32
    /// The size in bytes.
    let byteCount: Int64

    /// - Parameters:
    ///   - folder: A folder with space for the copy.
    ///   - blank: A range to zero out, so that it takes no space and all offsets stay the same.
    init(
        packing bytes: FileBytes, named name: String, in folder: String, blank: Range<Int>
    ) throws(UploadError) {
        descriptor = try Self.namelessFile(in: folder)
        do throws(ArchiveError.Reason) {
            try Self.pack(bytes, into: descriptor, blank: blank)
        } catch {
            close(descriptor)
            throw UploadError(ArchiveError(name, error).problem)
        }
        byteCount = Int64(lseek(descriptor, 0, SEEK_END))
    }

    /// Creates a compressed archive of files (tar, as in POSIX.1-1988, with GNU's long names and
    /// sizes).
    init(
        packing files: [(name: String, bytes: FileBytes)], in folder: String
    ) throws(UploadError) {
        descriptor = try Self.namelessFile(in: folder)
        do throws(ArchiveError.Reason) {
            var writer = try ZstdWriter.open(descriptor)
            for (name, bytes) in files {
                try writer.append(TarHeader.bytes(name: name, byteCount: bytes.count).span)
                try Self.append(bytes, to: &writer)
                try writer.append(TarHeader.padding(after: bytes.count).span)
            }
            // An archive ends with two empty blocks.
            try writer.append([UInt8](repeating: 0, count: 1024).span)
            try writer.finish()
        } catch {
            close(descriptor)
            throw UploadError(ArchiveError("compressed copy", error).problem)
        }
        byteCount = Int64(lseek(descriptor, 0, SEEK_END))
    }

    deinit { close(descriptor) }

    private static func pack(
        _ bytes: FileBytes, into descriptor: Int32, blank: Range<Int>
    ) throws(ArchiveError.Reason) {
        var writer = try ZstdWriter.open(descriptor)
        try append(bytes, blank: blank, to: &writer)
        try writer.finish()
    }

    private static func append(
        _ bytes: FileBytes, blank: Range<Int> = 0..<0, to writer: inout ZstdWriter
    ) throws(ArchiveError.Reason) {
        for start in stride(from: 0, to: bytes.count, by: pieceLength) {
            let range = start..<min(start + pieceLength, bytes.count)
            let blanked = blank.clamped(to: range)
            try append(range.lowerBound..<blanked.lowerBound, of: bytes, to: &writer)
            try writer.append([UInt8](repeating: 0, count: blanked.count).span)
            try append(blanked.upperBound..<range.upperBound, of: bytes, to: &writer)
            bytes.release(range)
        }
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
                Problem(
                    folder, detail: "cannot be written: \(systemMessage(errno))",
                    suggestion: "set TMPDIR to another folder"))
        }
        _ = unsafe unlink(path)
        return descriptor
    }

    /// Returns at most `count` bytes from `offset` on; empty at the end.
    func bytes(at offset: Int64, count: Int) throws(UploadError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            let read = unsafe pread(descriptor, &bytes, count, Int(offset))
            if read >= 0 { return Array(bytes.prefix(read)) }
            guard errno == EINTR else {
                throw UploadError(Problem("compressed copy", detail: "cannot be read"))
            }
        }
    }

    private static let pieceLength = 1 << 20
}

/// The reason why a file could not be sent.
public struct UploadError: DescribedError, Hashable {
    public var problem: Problem

    init(_ problem: Problem) { self.problem = problem }
}
