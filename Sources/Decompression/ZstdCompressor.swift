private import CLibZstd

/// Compresses a stream of any length with zstd (RFC 8878), piece by piece and in constant memory.
@safe
public struct ZstdCompressor: ~Copyable {
    private let context: OpaquePointer
    private var buffer: [UInt8]

    /// A fast level, whose sizes for debug files are close to those of higher levels.
    public static let level: Int32 = 3

    /// - Throws: ``ZstdError`` if memory allocation fails.
    public init() throws(ZstdError) {
        guard let context = unsafe ZSTD_createCCtx() else { throw ZstdError("no memory for zstd") }
        unsafe self.context = context
        buffer = [UInt8](repeating: 0, count: ZSTD_CStreamOutSize())
        unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Self.level)
        unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    }

    deinit { unsafe ZSTD_freeCCtx(context) }

    /// Compresses the next bytes, and passes the available output to `body`.
    ///
    /// - Parameter isLast: Whether these bytes end the stream.
    public mutating func add(
        _ bytes: Span<UInt8>, isLast: Bool, _ body: (Span<UInt8>) throws -> Void
    ) throws {
        let end = isLast ? ZSTD_e_end : ZSTD_e_continue
        var position = 0
        while true {
            var filled = 0
            let left = unsafe bytes.withUnsafeBufferPointer { source in
                unsafe buffer.withUnsafeMutableBytes { target in
                    var input = unsafe ZSTD_inBuffer(
                        src: source.baseAddress, size: source.count, pos: position)
                    var output = unsafe ZSTD_outBuffer(
                        dst: target.baseAddress, size: target.count, pos: 0)
                    let left = unsafe ZSTD_compressStream2(context, &output, &input, end)
                    unsafe (position, filled) = (input.pos, output.pos)
                    return left
                }
            }
            try ZstdError.check(left)
            if filled > 0 { try body(buffer.span.extracting(0..<filled)) }
            if isLast ? left == 0 : position == bytes.count { return }
        }
    }
}

/// Why a stream could not be compressed or inflated.
public struct ZstdError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }

    static func check(_ result: Int) throws(ZstdError) {
        guard ZSTD_isError(result) != 0 else { return }
        throw ZstdError(unsafe String(cString: ZSTD_getErrorName(result)))
    }
}
