private import CLibZstd

/// Inflates a zstd stream (RFC 8878), piece by piece and in constant memory.
///
/// The caller has to limit the output: one byte may inflate to thousands.
@safe
public struct ZstdInflater: ~Copyable {
    private let context: OpaquePointer
    private var buffer: [UInt8]
    /// Whether the last frame is complete, so that the stream may end here.
    public private(set) var isAtEnd = false

    /// The maximum window of a frame, which determines the memory needed.
    enum WindowLimit: Int32 {
        /// 8 MiB, the limit of `Content-Encoding: zstd` (RFC 9659, section 3).
        case contentCoding = 23
    }

    /// - Throws: ``ZstdError`` if memory allocation fails.
    public init() throws(ZstdError) { try self.init(windowLimit: nil) }

    /// - Throws: ``ZstdError`` if memory allocation fails.
    init(windowLimit: WindowLimit?) throws(ZstdError) {
        guard let context = unsafe ZSTD_createDCtx() else { throw ZstdError("no memory for zstd") }
        unsafe self.context = context
        buffer = [UInt8](repeating: 0, count: ZSTD_DStreamOutSize())
        guard let windowLimit else { return }
        unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, windowLimit.rawValue)
    }

    deinit { unsafe ZSTD_freeDCtx(context) }

    /// Inflates the next bytes, and passes all output to `body`.
    ///
    /// - Throws: ``ZstdError`` if the stream is corrupt, and the errors of `body`.
    public mutating func add(
        _ bytes: Span<UInt8>, _ body: (Span<UInt8>) throws -> Void
    ) throws {
        var position = 0
        // A full buffer may have left output inside of zstd, unless the frame is complete: then a
        // call without input would begin the next frame.
        var mayHaveOutput = false
        while position < bytes.count || mayHaveOutput {
            var filled = 0
            let hint = unsafe bytes.withUnsafeBufferPointer { source in
                unsafe buffer.withUnsafeMutableBytes { target in
                    var input = unsafe ZSTD_inBuffer(
                        src: source.baseAddress, size: source.count, pos: position)
                    var output = unsafe ZSTD_outBuffer(
                        dst: target.baseAddress, size: target.count, pos: 0)
                    let hint = unsafe ZSTD_decompressStream(context, &output, &input)
                    unsafe (position, filled) = (input.pos, output.pos)
                    return hint
                }
            }
            try ZstdError.check(hint)
            isAtEnd = hint == 0
            mayHaveOutput = !isAtEnd && filled == buffer.count
            if filled > 0 { try body(buffer.span.extracting(0..<filled)) }
        }
    }
}
