/// Inflates a body that was compressed as a whole, piece by piece and in constant memory.
///
/// The caller has to limit the output: one byte may inflate to a thousand.
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

    /// Inflates the next bytes, and passes all output to `body`.
    ///
    /// - Throws: ``CompressionError`` if the body is corrupt, and the errors of `body`.
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
