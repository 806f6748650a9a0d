private import CLibZstd

/// Inflates a zstd stream (RFC 8878) piece by piece, in constant memory.
///
/// How much comes out is for the caller to bound: one byte may stand for thousands.
@safe
public struct ZstdInflater: ~Copyable {
    private let context: OpaquePointer
    private var room: [UInt8]
    /// Whether the last frame is complete, so that the stream may end here.
    public private(set) var isAtEnd = false

    /// The largest window that a frame may ask for, and so the memory that it costs.
    enum WindowLimit: Int32 {
        /// 8 MiB, to which `Content-Encoding: zstd` is limited (RFC 9659, section 3).
        case contentCoding = 23
    }

    /// - Throws: When there is no memory for it.
    public init() throws(ZstdError) { try self.init(windowLimit: nil) }

    /// - Throws: When there is no memory for it.
    init(windowLimit: WindowLimit?) throws(ZstdError) {
        guard let context = unsafe ZSTD_createDCtx() else { throw ZstdError("no memory for zstd") }
        unsafe self.context = context
        room = [UInt8](repeating: 0, count: ZSTD_DStreamOutSize())
        guard let windowLimit else { return }
        unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, windowLimit.rawValue)
    }

    deinit { unsafe ZSTD_freeDCtx(context) }

    /// Takes the next bytes, and hands on all that they inflate to.
    ///
    /// - Throws: When the stream is damaged, and what `body` throws.
    public mutating func add(
        _ bytes: Span<UInt8>, _ body: (Span<UInt8>) throws -> Void
    ) throws {
        var place = 0
        var isRoomFull = false
        while place < bytes.count || isRoomFull {
            var filled = 0
            let hint = unsafe bytes.withUnsafeBufferPointer { source in
                unsafe room.withUnsafeMutableBytes { target in
                    var input = unsafe ZSTD_inBuffer(
                        src: source.baseAddress, size: source.count, pos: place)
                    var output = unsafe ZSTD_outBuffer(
                        dst: target.baseAddress, size: target.count, pos: 0)
                    let hint = unsafe ZSTD_decompressStream(context, &output, &input)
                    unsafe (place, filled) = (input.pos, output.pos)
                    return hint
                }
            }
            try ZstdError.check(hint)
            isAtEnd = hint == 0
            isRoomFull = filled == room.count
            if filled > 0 { try body(room.span.extracting(0..<filled)) }
        }
    }
}
