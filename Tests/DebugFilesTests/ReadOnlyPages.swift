import ByteReading
import Glibc

/// Memory that traps on writes, as a mapped file does.
@safe
final class ReadOnlyPages: BytesOwner, @unchecked Sendable {
    private let start: UnsafeMutableRawPointer
    private let count: Int

    struct NoMemory: Error {}

    init(_ bytes: [UInt8]) throws {
        count = bytes.count
        let pages = unsafe mmap(
            nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let pages = unsafe pages, unsafe pages != MAP_FAILED else { throw NoMemory() }
        unsafe start = pages
        unsafe pages.copyMemory(from: bytes, byteCount: count)
        guard unsafe mprotect(pages, count, PROT_READ) == 0 else { throw NoMemory() }
    }

    deinit { unsafe _ = munmap(start, count) }

    var bytes: FileBytes {
        unsafe FileBytes(mapped: UnsafeRawPointer(start), count: count, owner: self)
    }
}
