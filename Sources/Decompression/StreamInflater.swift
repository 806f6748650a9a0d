/// Inflates a body that was compressed as a whole piece by piece, in constant memory.
///
/// How much comes out is for the caller to bound: one byte may stand for a thousand.
public struct StreamInflater: ~Copyable {
    private var zlib: ZlibInflater?
    private var zstd: ZstdInflater?

    public init(coding: ContentCoding) {
        switch coding {
        case .gzip, .deflate:
            zlib = ZlibInflater(isGzip: coding == .gzip, subject: coding.subject)
        case .zstd: break
        }
    }

    /// Whether the last stream is complete, so that the body may end here.
    public var isAtEnd: Bool {
        switch zlib {
        case .some(let zlib): return zlib.isAtEnd
        case .none: break
        }
        switch zstd {
        case .some(let zstd): return zstd.isAtEnd
        case .none: return false
        }
    }

    /// Takes the next bytes, and hands on all that they inflate to.
    ///
    /// - Throws: A ``CompressionError`` when the body is damaged, and what `body` throws.
    public mutating func add(
        _ bytes: Span<UInt8>, _ body: (Span<UInt8>) throws -> Void
    ) throws {
        if zlib != nil {
            try zlib?.add(bytes, body)
        } else {
            try addToZstd(bytes, body)
        }
    }

    private mutating func addToZstd(
        _ bytes: Span<UInt8>, _ body: (Span<UInt8>) throws -> Void
    ) throws {
        let subject = ContentCoding.zstd.subject
        do {
            if zstd == nil { zstd = try ZstdInflater(windowLimit: .contentCoding) }
        } catch { throw CompressionError(.noMemory, in: subject) }
        do {
            try zstd?.add(bytes, body)
        } catch is ZstdError { throw CompressionError(.damaged, in: subject) }
    }
}
