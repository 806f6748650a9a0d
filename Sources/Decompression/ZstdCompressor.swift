private import CLibZstd

/// Compresses a stream of any length with zstd (RFC 8878), piece by piece, in constant memory.
@safe
public struct ZstdCompressor: ~Copyable {
    private let context: OpaquePointer
    private var room: [UInt8]

    /// Fast, and near the size that higher levels reach for debug files.
    public static let level: Int32 = 3

    /// - Throws: When there is no memory for it.
    public init() throws(ZstdError) {
        guard let context = unsafe ZSTD_createCCtx() else { throw ZstdError("no memory for zstd") }
        unsafe self.context = context
        room = [UInt8](repeating: 0, count: ZSTD_CStreamOutSize())
        unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Self.level)
        unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    }

    deinit { unsafe ZSTD_freeCCtx(context) }

    /// Takes the next bytes, and hands on what is compressed by then.
    ///
    /// - Parameter isLast: Ends the stream; no more may follow.
    public mutating func add(
        _ bytes: Span<UInt8>, isLast: Bool, _ body: (Span<UInt8>) throws -> Void
    ) throws {
        let end = isLast ? ZSTD_e_end : ZSTD_e_continue
        var place = 0
        while true {
            var filled = 0
            let left = unsafe bytes.withUnsafeBufferPointer { source in
                unsafe room.withUnsafeMutableBytes { target in
                    var input = unsafe ZSTD_inBuffer(
                        src: source.baseAddress, size: source.count, pos: place)
                    var output = unsafe ZSTD_outBuffer(
                        dst: target.baseAddress, size: target.count, pos: 0)
                    let left = unsafe ZSTD_compressStream2(context, &output, &input, end)
                    unsafe (place, filled) = (input.pos, output.pos)
                    return left
                }
            }
            try ZstdError.check(left)
            if filled > 0 { try body(room.span.extracting(0..<filled)) }
            if isLast ? left == 0 : place == bytes.count { return }
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
