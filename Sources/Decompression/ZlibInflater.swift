private import CLibZ

/// Inflates gzip, zlib and raw deflate streams piece by piece, in constant memory.
@safe
struct ZlibInflater: ~Copyable {
    private let isGzip: Bool
    private let subject: String
    private let stream: UnsafeMutablePointer<z_stream>
    private var room = [UInt8](repeating: 0, count: 1 << 16)
    private var isBegun = false
    /// Whether the last stream is complete, so that the body may end here.
    private(set) var isAtEnd = false

    /// - Parameters:
    ///   - isGzip: Otherwise the stream is deflate, with zlib's header or without it.
    ///   - subject: What errors name: `gzip body`.
    init(isGzip: Bool, subject: String) {
        self.isGzip = isGzip
        self.subject = subject
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
    }

    deinit {
        if isBegun { unsafe inflateEnd(stream) }
        unsafe stream.deallocate()
    }

    /// Takes the next bytes, and hands on all that they inflate to.
    ///
    /// - Throws: A ``CompressionError`` when the body is damaged, and what `body` throws.
    mutating func add(
        _ bytes: Span<UInt8>, _ body: (Span<UInt8>) throws -> Void
    ) throws {
        var place = 0
        var isRoomFull = false
        while place < bytes.count || isRoomFull {
            if place < bytes.count { try begin(with: bytes[place]) }
            let (read, written, code) = inflate(bytes.extracting(place...))
            place += read
            isRoomFull = written == room.count && code == Z_OK
            if written > 0 { try body(room.span.extracting(0..<written)) }
            switch code {
            case Z_OK, Z_BUF_ERROR: break
            case Z_STREAM_END: isAtEnd = true
            case Z_MEM_ERROR: throw CompressionError(.noMemory, in: subject)
            default: throw CompressionError(.damaged, in: subject)
            }
        }
    }

    /// The first stream, or the next one of gzip, where several may follow one another.
    private mutating func begin(with first: UInt8) throws(CompressionError) {
        if !isBegun {
            guard unsafe symbolist_inflate_init(stream, windowBits(first)) == Z_OK
            else { throw CompressionError(.noMemory, in: subject) }
            isBegun = true
        } else if isAtEnd {
            guard isGzip, unsafe inflateReset(stream) == Z_OK
            else { throw CompressionError(.damaged, in: subject) }
            isAtEnd = false
        }
    }

    /// As zlib wants to be told the format. Of `deflate` the first byte tells whether there is a zlib
    /// header: method 8, and a window of at most 32 KiB.
    private func windowBits(_ first: UInt8) -> Int32 {
        if isGzip { return 15 + 16 }
        return first & 0x0f == 8 && first >> 4 <= 7 ? 15 : -15
    }

    private mutating func inflate(
        _ bytes: Span<UInt8>
    ) -> (read: Int, written: Int, code: Int32) {
        unsafe bytes.withUnsafeBufferPointer { source in
            unsafe room.withUnsafeMutableBufferPointer { target in
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
