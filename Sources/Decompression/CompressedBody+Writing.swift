private import CLibDeflate

extension CompressedBody {
    /// Compresses a body into one gzip member, for exporters.
    ///
    /// - Parameter level: The level, from 1 (fast) to 12 (small).
    public init(
        gzipping body: [UInt8], level: Int = 6
    ) throws(CompressionError) {
        precondition(1...12 ~= level, "level is not in 1...12")
        guard let compressor = unsafe libdeflate_alloc_compressor(Int32(level))
        else { throw CompressionError(.noMemory, in: "gzip body") }
        defer { unsafe libdeflate_free_compressor(compressor) }
        // With this much space, libdeflate never fails.
        let bound = unsafe libdeflate_gzip_compress_bound(compressor, body.count)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: bound) { target, count in
            count = unsafe body.withUnsafeBytes { source in
                unsafe libdeflate_gzip_compress(
                    compressor, source.baseAddress, source.count, target.baseAddress, target.count)
            }
        }
        self.init(bytes, coding: .gzip)
    }
}
