import ByteReading
import Glibc

/// A mapped file, kept as long as its bytes are in use.
///
/// The product's own type for this is not public.
final class MappedBytes: BytesOwner, @unchecked Sendable {
    private let start: UnsafeMutableRawPointer
    private let count: Int

    private init(start: UnsafeMutableRawPointer, count: Int) {
        self.start = start
        self.count = count
    }

    deinit { munmap(start, count) }

    static func of(path: String) throws -> FileBytes {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw MeasureError("\(path): cannot be opened") }
        defer { close(file) }
        let count = Int(lseek(file, 0, SEEK_END))
        guard count > 0, let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, file, 0),
            start != MAP_FAILED
        else { throw MeasureError("\(path): cannot be mapped") }
        let owner = MappedBytes(start: start, count: count)
        return FileBytes(mapped: UnsafeRawPointer(start), count: count, owner: owner)
    }
}
