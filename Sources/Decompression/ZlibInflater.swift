private import CLibZ

/// Inflates gzip, zlib and raw deflate streams piece by piece, in constant memory.
@safe
struct ZlibInflater: ~Copyable {
    private let isGzip: Bool
    private let subject: String
    private let stream: UnsafeMutablePointer<z_stream>
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var hasStarted = false
    /// Whether the last stream is complete, so that the body may end here.
    private(set) var isAtEnd = false

    /// - Parameters:
    ///   - isGzip: Whether the format is gzip rather than deflate, with or without the zlib header.
    ///   - subject: The name in errors, such as `gzip body`.
    init(isGzip: Bool, subject: String) {
        self.isGzip = isGzip
        self.subject = subject
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
    }

    deinit {
        if hasStarted { unsafe inflateEnd(stream) }
        unsafe stream.deallocate()
    }

    /// Inflates the next bytes, and passes all output to `body`.
    ///
    /// - Throws: ``CompressionError`` if the body is corrupt, and the errors of `body`.
    mutating func add(
        _ bytes: Span<UInt8>, _ body: (Span<UInt8>) throws -> Void
    ) throws {
        var position = 0
        var isBufferFull = false
        while position < bytes.count || isBufferFull {
            if position < bytes.count { try begin(with: bytes[position]) }
            let (read, written, code) = inflate(bytes.extracting(position...))
            position += read
            isBufferFull = written == buffer.count && code == Z_OK
            if written > 0 { try body(buffer.span.extracting(0..<written)) }
            switch code {
            case Z_OK, Z_BUF_ERROR: break
            case Z_STREAM_END: isAtEnd = true
            case Z_MEM_ERROR: throw CompressionError(.noMemory, in: subject)
            default: throw CompressionError(.damaged, in: subject)
            }
        }
    }

    /// Starts the first stream, or a further member of a gzip body.
    private mutating func begin(with first: UInt8) throws(CompressionError) {
        if !hasStarted {
            guard unsafe symbolist_inflate_init(stream, windowBits(first)) == Z_OK
            else { throw CompressionError(.noMemory, in: subject) }
            hasStarted = true
        } else if isAtEnd {
            guard isGzip, unsafe inflateReset(stream) == Z_OK
            else { throw CompressionError(.damaged, in: subject) }
            isAtEnd = false
        }
    }

    /// Returns zlib's parameter for the format. The first byte of a `deflate` body shows whether it
    /// has a zlib header: method 8, and a window of at most 32 KiB.
    private func windowBits(_ first: UInt8) -> Int32 {
        if isGzip { return 15 + 16 }
        return first & 0x0f == 8 && first >> 4 <= 7 ? 15 : -15
    }

    private mutating func inflate(
        _ bytes: Span<UInt8>
    ) -> (read: Int, written: Int, code: Int32) {
        unsafe bytes.withUnsafeBufferPointer { source in
            unsafe buffer.withUnsafeMutableBufferPointer { target in
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                unsafe stream.pointee.avail_in = UInt32(clamping: source.count)
                unsafe stream.pointee.next_out = target.baseAddress
                unsafe stream.pointee.avail_out = UInt32(clamping: target.count)
                let code = unsafe CLibZ.inflate(stream, Z_NO_FLUSH)
                return unsafe (
                    min(source.count, Int(UInt32.max)) - Int(stream.pointee.avail_in),
                    target.count - Int(stream.pointee.avail_out), code
                )
            }
        }
    }
}
