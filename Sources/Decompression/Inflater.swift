private import CLibDeflate

/// A libdeflate decompressor, freed exactly once.
@safe
struct Inflater: ~Copyable {
    enum Format { case gzip, zlib, deflate }

    enum Result {
        /// A stream or gzip member ended after this many bytes of input and output.
        case ended(read: Int, written: Int)
        case needsRoom
        /// libdeflate does not distinguish a damaged stream from a truncated one.
        case damaged
    }

    private let handle: OpaquePointer

    init(subject: String) throws(CompressionError) {
        guard let handle = unsafe libdeflate_alloc_decompressor()
        else { throw CompressionError(.noMemory, in: subject) }
        unsafe self.handle = handle
    }

    deinit { unsafe libdeflate_free_decompressor(handle) }

    /// Inflates one stream, from `start` in `input`, into `output` from `end` on.
    func inflate(
        _ input: [UInt8], from start: Int, as format: Format, into output: inout [UInt8],
        at end: Int
    ) -> Result {
        var (read, written) = (0, 0)
        let result = unsafe input.withUnsafeBytes { input in
            unsafe output.withUnsafeMutableBytes { output in
                let source = unsafe UnsafeRawBufferPointer(rebasing: input[start...])
                let target = unsafe UnsafeMutableRawBufferPointer(rebasing: output[end...])
                return unsafe inflate(
                    source, as: format, into: target, read: &read, written: &written)
            }
        }
        return switch result {
        case LIBDEFLATE_SUCCESS: .ended(read: read, written: written)
        case LIBDEFLATE_INSUFFICIENT_SPACE: .needsRoom
        default: .damaged
        }
    }

    private func inflate(
        _ source: UnsafeRawBufferPointer, as format: Format,
        into target: UnsafeMutableRawBufferPointer, read: inout Int, written: inout Int
    ) -> libdeflate_result {
        let function =
            switch format {
            case .gzip: unsafe libdeflate_gzip_decompress_ex
            case .zlib: unsafe libdeflate_zlib_decompress_ex
            case .deflate: unsafe libdeflate_deflate_decompress_ex
            }
        return unsafe function(
            handle, source.baseAddress, source.count, target.baseAddress, target.count,
            &read, &written)
    }
}
