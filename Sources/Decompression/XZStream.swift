public import ByteReading
private import CLibLzma

/// A single xz stream in memory.
///
/// The size after inflating is in the index at the end of the stream (The .xz File Format, section
/// 4). It is untrusted: it is checked against the caller's limit before any memory is allocated, and
/// against the stream while inflating.
public struct XZStream: Sendable {
    private let stream: FileBytes

    public init(_ stream: FileBytes) { self.stream = stream }

    /// The maximum memory of the decoder, in bytes. The highest preset of `xz` needs 65 MiB.
    private static let memoryLimit: UInt64 = 128 << 20

    /// Returns the inflated bytes.
    ///
    /// - Parameter limit: The maximum size, in bytes.
    /// - Throws: ``ReadingError`` if the stream is corrupt, truncated or not an xz stream, or if it
    ///   inflates to more than the limit.
    public func inflated(limit: UInt64) throws(ReadingError) -> FileBytes {
        let count = unsafe stream.withUnsafeBytes { unsafe Self.inflatedCount($0) }
        guard let count else { throw error("xz stream is corrupt or truncated") }
        guard count <= limit else { throw error("inflates to more than \(limit >> 20) MiB") }
        return unsafe try FileBytes(
            count: Int(count), subject: stream.subject
        ) { target throws(ReadingError) in
            let problem = unsafe stream.withUnsafeBytes { unsafe Self.inflate($0, into: target) }
            if let problem { throw error(problem) }
        }
    }

    private func error(_ problem: String) -> ReadingError {
        ReadingError(.malformed(problem), in: stream.subject, at: 0)
    }

    /// Returns the declared size after inflating, or `nil` if the footer or the index is invalid.
    private static func inflatedCount(_ source: UnsafeRawBufferPointer) -> UInt64? {
        guard let bytes = unsafe source.bindMemory(to: UInt8.self).baseAddress else { return nil }
        let footerStart = source.count - Int(LZMA_STREAM_HEADER_SIZE)
        var footer = lzma_stream_flags()
        guard footerStart >= 0,
            unsafe lzma_stream_footer_decode(&footer, bytes + footerStart) == LZMA_OK,
            footer.backward_size <= UInt64(footerStart)
        else { return nil }
        var index: OpaquePointer?
        var memory = memoryLimit
        var position = footerStart - Int(footer.backward_size)
        let result = unsafe lzma_index_buffer_decode(
            &index, &memory, nil, bytes, &position, footerStart)
        guard result == LZMA_OK, let index = unsafe index else { return nil }
        defer { unsafe lzma_index_end(index, nil) }
        return unsafe lzma_index_uncompressed_size(index)
    }

    /// Inflates a stream into exactly `target`; returns the problem, or `nil` if there is none.
    private static func inflate(
        _ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
    ) -> String? {
        var memory = memoryLimit
        var (read, written) = (0, 0)
        let result = unsafe lzma_stream_buffer_decode(
            &memory, 0, nil, source.bindMemory(to: UInt8.self).baseAddress, &read, source.count,
            target.bindMemory(to: UInt8.self).baseAddress, &written, target.count)
        switch result {
        case LZMA_OK where read == source.count && written == target.count: return nil
        case LZMA_MEMLIMIT_ERROR: return "xz stream needs over \(memoryLimit >> 20) MiB to inflate"
        case LZMA_OPTIONS_ERROR: return "xz stream has an unsupported filter"
        case LZMA_MEM_ERROR: return "no memory for the xz decoder"
        default: return "xz stream is corrupt or truncated"
        }
    }
}
