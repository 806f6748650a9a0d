private import CLibZstd
private import Synchronization

/// Bytes in one zstd frame that declares their size (RFC 8878), for storage in a database.
public struct ZstdBlock: Sendable {
    /// The frame.
    public let bytes: [UInt8]

    public static let levels = 1...19

    /// A frame made by ``init(compressing:level:)``.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Parameter level: The level, from 1 (fast) to 19 (small).
    public init(compressing content: [UInt8], level: Int = 3) throws(CompressionError) {
        precondition(Self.levels ~= level, "level is not in \(Self.levels)")
        guard let context = ZstdContext.borrowed()
        else { throw CompressionError(.noMemory, in: Self.subject) }
        defer { context.returnToPool() }
        var result = 0
        let bound = ZSTD_compressBound(content.count)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: bound) { target, count in
            result = unsafe context.compress(content, into: target, level: Int32(level))
            count = ZSTD_isError(result) == 0 ? result : 0
        }
        // The output always fits, so the only possible failure is a lack of memory.
        guard ZSTD_isError(result) == 0
        else { throw CompressionError(.noMemory, in: Self.subject) }
        self.bytes = bytes
    }

    /// Returns the bytes before compression.
    ///
    /// - Parameter limit: The maximum size of the result, in bytes. The frame declares its size, so
    ///   no memory is allocated for one beyond the limit.
    public func inflated(limit: Int) throws(CompressionError) -> [UInt8] {
        precondition(limit >= 0, "limit is negative")
        let size = try declaredCount()
        guard size <= UInt64(limit)
        else { throw CompressionError(.tooLarge(limit: limit), in: Self.subject) }
        var result = 0
        let content = unsafe [UInt8](unsafeUninitializedCapacity: Int(size)) { target, count in
            result = unsafe bytes.withUnsafeBytes { source in
                unsafe ZSTD_decompress(
                    target.baseAddress, Int(size), source.baseAddress, source.count)
            }
            count = ZSTD_isError(result) == 0 ? result : 0
        }
        guard result == Int(size) else { throw CompressionError(.damaged, in: Self.subject) }
        return content
    }

    private static let subject = "zstd block"

    /// Returns the size that the frame declares.
    private func declaredCount() throws(CompressionError) -> UInt64 {
        let count = unsafe bytes.withUnsafeBytes { source in
            unsafe ZSTD_getFrameContentSize(source.baseAddress, source.count)
        }
        // The special values for an unknown size and an invalid frame are the largest ones.
        guard count < ZSTD_CONTENTSIZE_ERROR
        else { throw CompressionError(.damaged, in: Self.subject) }
        return count
    }
}

/// A compression context, reused for further blocks because creating one takes as long as
/// compressing some kilobytes.
@safe
private struct ZstdContext: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// The maximum number of contexts kept for reuse.
    private static let keptLimit = 8
    private static let kept = Mutex<[Self]>([])

    static func borrowed() -> Self? {
        kept.withLock { $0.popLast() } ?? Self()
    }

    private init?() {
        guard let pointer = unsafe ZSTD_createCCtx() else { return nil }
        unsafe self.pointer = pointer
    }

    func returnToPool() {
        let isKept = Self.kept.withLock { kept in
            guard kept.count < Self.keptLimit else { return false }
            kept.append(self)
            return true
        }
        if !isKept { _ = unsafe ZSTD_freeCCtx(pointer) }
    }

    func compress(
        _ bytes: [UInt8], into target: UnsafeMutableBufferPointer<UInt8>, level: Int32
    ) -> Int {
        unsafe ZSTD_compressCCtx(
            pointer, target.baseAddress, target.count, bytes, bytes.count, level)
    }
}
