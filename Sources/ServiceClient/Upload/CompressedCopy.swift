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
        packing bytes: FileBytes, named name: String, in folder: String, blank: Range<Int> = 0..<0
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

    /// Creates a compressed archive of files in memory (tar, as in POSIX.1-1988).
    init(
        packing files: [(name: String, bytes: [UInt8])], in folder: String
    ) throws(UploadError) {
        descriptor = try Self.namelessFile(in: folder)
        do throws(ArchiveError.Reason) {
            var writer = try ZstdWriter.open(descriptor)
            for (name, bytes) in files {
                try writer.append(Self.tarHeader(name, byteCount: bytes.count).span)
                try writer.append(bytes.span)
                try writer.append([UInt8](repeating: 0, count: -bytes.count & 511).span)
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

    /// - Parameter name: The entry's name, at most 100 bytes.
    private static func tarHeader(_ name: String, byteCount: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, at position: Int) {
            header.replaceSubrange(position..<position + text.utf8.count, with: text.utf8)
        }
        func octal(_ number: Int, digits: Int) -> String {
            let text = String(number, radix: 8)
            return String(repeating: "0", count: max(digits - text.count, 0)) + text
        }
        put(name, at: 0)
        put("0000644\0" + "0000000\0" + "0000000\0", at: 100)
        put(octal(byteCount, digits: 11) + "\0" + octal(0, digits: 11) + "\0", at: 124)
        // The checksum is computed with spaces in its own field.
        put("        0", at: 148)
        put("ustar\u{0}00", at: 257)
        put(octal(header.reduce(0) { $0 + Int($1) }, digits: 6) + "\0 ", at: 148)
        return header
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
