import Archives
public import ByteReading
import Glibc

/// A file mapped read-only into memory, as long as its bytes are referenced.
///
/// Pages are read on first access. The file must not be truncated while it is mapped. Therefore
/// this program replaces its files by renaming, and never changes them in place.
@safe
public final class MappedFile: BytesOwner, @unchecked Sendable {
    private let start: UnsafeMutableRawPointer
    private let count: Int

    private init(start: UnsafeMutableRawPointer, count: Int) {
        unsafe self.start = start
        self.count = count
    }

    deinit { unsafe munmap(start, count) }

    /// Releases the pages. They are read from the file again on the next access, because the
    /// mapping is never written to.
    public func release(_ bytes: UnsafeRawBufferPointer) {
        let pageSize = UInt(sysconf(Int32(_SC_PAGESIZE)))
        guard let first = bytes.baseAddress else { return }
        let start = UInt(bitPattern: first)
        let firstPage = (start + pageSize - 1) / pageSize * pageSize
        let end = (start + UInt(bytes.count)) / pageSize * pageSize
        guard firstPage < end else { return }
        unsafe madvise(
            UnsafeMutableRawPointer(bitPattern: firstPage), Int(end - firstPage), MADV_DONTNEED)
    }

    /// Maps the regular file at `path`.
    public static func bytes(of path: String) throws(SymbolStoreError) -> FileBytes {
        let file = unsafe open(SystemPath.bytes(of: path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .unreadable(path) }
        defer { close(file) }
        let status = try FileStatus(ofOpen: file, path: path)
        guard status.kind == .file else {
            throw SymbolStoreError(
                path, detail: "is not a regular file", suggestion: "use the regular file")
        }
        guard status.size > 0 else { return FileBytes([]) }
        guard let count = Int(exactly: status.size),
            let start = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, file, 0),
            unsafe start != MAP_FAILED
        else { throw SymbolStoreError(path, detail: "cannot be mapped: \(systemMessage(errno))") }
        let owner = unsafe MappedFile(start: start, count: count)
        return unsafe FileBytes(mapped: UnsafeRawPointer(start), count: count, owner: owner)
    }
}
