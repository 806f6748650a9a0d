private import CLibZ

/// Inflates a body that was compressed as a whole piece by piece, in constant memory.
///
/// How much comes out is for the caller to bound: one byte may stand for a thousand.
@safe
public struct StreamInflater: ~Copyable {
    private let coding: ContentCoding
    private let stream: UnsafeMutablePointer<z_stream>
    private var room = [UInt8](repeating: 0, count: 1 << 16)
    private var isBegun = false
    /// Whether the last stream is complete, so that the body may end here.
    public private(set) var isAtEnd = false

    public init(coding: ContentCoding) {
        self.coding = coding
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
    public mutating func add(
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

    private var subject: String { "\(coding.rawValue) body" }

    /// The first stream, or the next one of gzip, where several may follow one another.
    private mutating func begin(with first: UInt8) throws(CompressionError) {
        if !isBegun {
            guard unsafe symbolist_inflate_init(stream, windowBits(first)) == Z_OK
            else { throw CompressionError(.noMemory, in: subject) }
            isBegun = true
        } else if isAtEnd {
            guard coding == .gzip, unsafe inflateReset(stream) == Z_OK
            else { throw CompressionError(.damaged, in: subject) }
            isAtEnd = false
        }
    }

    /// As zlib wants to be told the format. Of `deflate` the first byte tells whether there is a zlib
    /// header: method 8, and a window of at most 32 KiB.
    private func windowBits(_ first: UInt8) -> Int32 {
        switch coding {
        case .gzip: 15 + 16
        case .deflate: first & 0x0f == 8 && first >> 4 <= 7 ? 15 : -15
        }
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
