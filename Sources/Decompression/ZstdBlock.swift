private import CLibZstd

/// Bytes in one zstd frame that says how long they are (RFC 8878), as databases keep them.
public struct ZstdBlock: Sendable {
    /// The frame.
    public let bytes: [UInt8]

    public static let levels = 1...19

    /// A frame that was made by ``init(compressing:level:)`` before.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Parameter level: From 1, fast, to 19, small.
    public init(compressing content: [UInt8], level: Int = 3) throws(CompressionError) {
        precondition(Self.levels ~= level, "level is not in \(Self.levels)")
        var result = 0
        let bound = ZSTD_compressBound(content.count)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: bound) { target, count in
            result = unsafe content.withUnsafeBytes { source in
                unsafe ZSTD_compress(
                    target.baseAddress, target.count, source.baseAddress, source.count,
                    Int32(level))
            }
            count = ZSTD_isError(result) == 0 ? result : 0
        }
        // There is room for whatever comes out, so memory is all that can be lacking.
        guard ZSTD_isError(result) == 0
        else { throw CompressionError(.noMemory, in: Self.subject) }
        self.bytes = bytes
    }

    /// What was compressed.
    ///
    /// - Parameter limit: The most bytes that the caller has room for. The frame declares its size,
    ///   so one beyond the limit takes no memory.
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

    /// How many bytes the frame says that it holds.
    private func declaredCount() throws(CompressionError) -> UInt64 {
        let count = unsafe bytes.withUnsafeBytes { source in
            unsafe ZSTD_getFrameContentSize(source.baseAddress, source.count)
        }
        // Both ways of not knowing stand at the end of the numbers: unknown and no frame at all.
        guard count < ZSTD_CONTENTSIZE_ERROR
        else { throw CompressionError(.damaged, in: Self.subject) }
        return count
    }
}
