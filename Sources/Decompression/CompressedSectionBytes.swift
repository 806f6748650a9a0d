public import ByteReading
private import CLibDeflate
private import CLibZstd

/// The bytes of a compressed section, with the size that the file declares.
///
/// The declared size is untrusted. Before any memory is allocated, it is checked against the
/// highest ratio that the method can reach.
public struct CompressedSectionBytes: Sendable {
    /// The methods that debug files use. The numbers are those of `ch_type` (ELF gABI).
    public enum Method: UInt32, Sendable {
        case zlib = 1
        case zstd = 2

        /// The maximum expansion ratio.
        ///
        /// DEFLATE cannot exceed 1,032 to 1. zstd can reach 32,768 to 1 for blocks of one repeated
        /// byte, which do not occur in debug sections; real ones stay below 50 to 1.
        public var ratioLimit: UInt64 {
            switch self {
            case .zlib: 1_100
            case .zstd: 4_096
            }
        }
    }

    /// The maximum inflated size of a section, which is the range of offsets in 32-bit DWARF.
    public static let inflatedBytesLimit: UInt64 = 1 << 32

    public let method: Method
    /// The compressed stream, without a header that declares the size.
    public let stream: FileBytes
    /// The size that the file declares, in bytes.
    public let inflatedCount: UInt64

    public init(method: Method, stream: FileBytes, inflatedCount: UInt64) {
        self.method = method
        self.stream = stream
        self.inflatedCount = inflatedCount
    }

    /// Reads the header of a `.zdebug_…` or `__zdebug_…` section: `ZLIB` and the size, 8 bytes,
    /// big-endian. Returns `nil` if the section has no such header and is therefore not compressed.
    public init?(zdebugSection section: FileBytes) throws(ReadingError) {
        guard section.count >= 4,
            try section.number(UInt32.self, at: 0, bigEndian: true) == Self.zdebugMagic
        else { return nil }
        let count = try section.number(UInt64.self, at: 4, bigEndian: true)
        let stream = try section.slice(
            at: 12, count: UInt64(section.count) - 12, subject: section.subject)
        self.init(method: .zlib, stream: stream, inflatedCount: count)
    }

    /// `ZLIB` as a big-endian number.
    private static let zdebugMagic: UInt32 = 0x5a4c_4942

    /// Returns the inflated bytes, exactly ``inflatedCount`` of them.
    ///
    /// - Parameter limit: The maximum size, in bytes.
    /// - Throws: ``ReadingError`` if the declared size exceeds a limit or differs from that of the
    ///   stream, or if the stream is corrupt.
    public func inflated(
        limit: UInt64 = inflatedBytesLimit
    ) throws(ReadingError) -> FileBytes {
        try checkDeclaredSize(limit)
        return unsafe try FileBytes(
            count: Int(inflatedCount), subject: stream.subject
        ) { target throws(ReadingError) in
            let problem = unsafe stream.withUnsafeBytes { source in
                switch method {
                case .zlib: unsafe Self.inflateZlib(source, into: target)
                case .zstd: unsafe Self.inflateZstd(source, into: target)
                }
            }
            if let problem { throw ReadingError(.malformed(problem), in: stream.subject, at: 0) }
        }
    }

    private func checkDeclaredSize(_ limit: UInt64) throws(ReadingError) {
        let reach = UInt64(stream.count) * method.ratioLimit
        guard inflatedCount <= min(reach, limit, Self.inflatedBytesLimit) else {
            let problem = "declares \(inflatedCount) bytes from \(stream.count), beyond the limit"
            throw ReadingError(.malformed(problem), in: stream.subject, at: 0)
        }
    }

    private static func inflateZlib(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> String? {
        guard let decompressor = unsafe libdeflate_alloc_decompressor()
        else { return "no memory for the zlib decompressor" }
        defer { unsafe libdeflate_free_decompressor(decompressor) }
        // Without a pointer for the actual size, libdeflate requires exactly the declared one.
        let result = unsafe libdeflate_zlib_decompress(
            decompressor, source.baseAddress, source.count, target.baseAddress, target.count, nil)
        switch result {
        case LIBDEFLATE_SUCCESS: return nil
        case LIBDEFLATE_SHORT_OUTPUT: return "zlib stream is shorter than declared"
        case LIBDEFLATE_INSUFFICIENT_SPACE: return "zlib stream is longer than declared"
        default: return "zlib stream is corrupt or truncated"
        }
    }

    private static func inflateZstd(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> String? {
        let result = unsafe ZSTD_decompress(
            target.baseAddress, target.count, source.baseAddress, source.count)
        if ZSTD_isError(result) != 0 {
            return unsafe "zstd stream is corrupt: " + String(cString: ZSTD_getErrorName(result))
        }
        return result == target.count ? nil : "zstd stream is shorter than declared"
    }
}
