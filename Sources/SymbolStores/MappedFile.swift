public import ByteReading
import Glibc

/// A file mapped into memory, read-only, for as long as somebody holds its bytes.
///
/// Pages are read when they are touched. The file must not be cut short meanwhile; what this program
/// writes is therefore replaced by renaming, never changed in place.
@safe
public final class MappedFile: BytesOwner, @unchecked Sendable {
    private let start: UnsafeMutableRawPointer
    private let count: Int

    private init(start: UnsafeMutableRawPointer, count: Int) {
        unsafe self.start = start
        self.count = count
    }

    deinit { unsafe munmap(start, count) }

    /// The next reader of a page gets it from the file again: nobody writes to a mapping.
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

    /// The bytes of the regular file at `path`.
    public static func bytes(of path: String) throws(SymbolStoreError) -> FileBytes {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .unreadable(path) }
        defer { close(file) }
        let status = try FileStatus(ofOpen: file, path: path)
        guard status.kind == .file else {
            throw SymbolStoreError(path, "is not a regular file", next: "give a path of a file")
        }
        guard status.size > 0 else { return FileBytes([]) }
        guard let count = Int(exactly: status.size),
            let start = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, file, 0),
            unsafe start != MAP_FAILED
        else { throw SymbolStoreError(path, "cannot be mapped: \(systemMessage(errno))") }
        let owner = unsafe MappedFile(start: start, count: count)
        return unsafe FileBytes(mapped: UnsafeRawPointer(start), count: count, owner: owner)
    }
}
