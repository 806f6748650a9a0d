/// The bytes of an archive, wherever they are.
enum ArchiveBytes {
    case file(OpenedFile)
    case memory(HeldBytes)

    /// How many there are.
    var count: Int64 {
        switch self {
        case .file(let file): file.byteCount
        case .memory(let held): Int64(held.count)
        }
    }

    /// At most `count` bytes from `offset` on; fewer at the end.
    func read(at offset: Int64, count: Int) throws(ArchiveError.Reason) -> [UInt8] {
        switch self {
        case .file(let file): try file.bytes(at: offset, count: count)
        case .memory(let held): held.bytes(at: offset, count: count)
        }
    }
}

/// Bytes in memory at a place that stays, as libarchive wants them.
@safe
final class HeldBytes {
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
