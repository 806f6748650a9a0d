/// The bytes of an archive, in a file or in memory.
enum ArchiveBytes: Sendable {
    case file(RandomAccessFile)
    case memory(PinnedBytes)

    /// The number of bytes.
    var count: Int64 {
        switch self {
        case .file(let file): file.byteCount
        case .memory(let bytes): Int64(bytes.count)
        }
    }

    /// Returns at most `count` bytes from `offset` on; fewer at the end.
    func read(at offset: Int64, count: Int) throws(ArchiveError.Reason) -> [UInt8] {
        switch self {
        case .file(let file): try file.bytes(at: offset, count: count)
        case .memory(let bytes): bytes.bytes(at: offset, count: count)
        }
    }
}

/// Bytes at a fixed address, as libarchive needs them.
@safe
final class PinnedBytes: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer

    init(_ bytes: [UInt8]) {
        unsafe self.bytes = .allocate(byteCount: bytes.count, alignment: 1)
        unsafe self.bytes.copyBytes(from: bytes)
    }

    deinit { unsafe bytes.deallocate() }

    var count: Int { unsafe bytes.count }

    @unsafe var start: UnsafeRawPointer? { unsafe UnsafeRawPointer(bytes.baseAddress) }

    func bytes(at offset: Int64, count: Int) -> [UInt8] {
        unsafe Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
}
