/// The body of a request or response that was compressed as a whole, in memory.
public struct CompressedBody: Sendable {
    public let coding: ContentCoding
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8], coding: ContentCoding) {
        self.bytes = bytes
        self.coding = coding
    }

    /// Returns the body before compression.
    ///
    /// The output buffer grows in doubling steps up to `limit`, so a small body that claims to be
    /// large costs little. The steps at most double the work.
    ///
    /// - Parameter limit: The maximum size of the result, in bytes.
    public func inflated(limit: Int) throws(CompressionError) -> [UInt8] {
        precondition(limit >= 0, "limit is negative")
        switch coding {
        case .gzip: return try inflate(with: Inflater(subject: subject), as: .gzip, limit: limit)
        case .deflate:
            let inflater = try Inflater(subject: subject)
            do {
                return try inflate(with: inflater, as: .zlib, limit: limit)
            } catch {
                guard error.reason == .damaged else { throw error }
                return try inflate(with: inflater, as: .deflate, limit: limit)
            }
        case .zstd:
            return try ZstdInflater.inflated(
                bytes, limit: limit, within: .contentCoding, subject: subject)
        }
    }

    private var subject: String { coding.subject }

    private func inflate(
        with inflater: borrowing Inflater, as format: Inflater.Format, limit: Int
    ) throws(CompressionError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: min(likelyCount, limit))
        var (read, written) = (0, 0)
        repeat {
            switch inflater.inflate(
                bytes, from: read, as: format, into: &output, at: written)
            {
            case .ended(let readCount, let writtenCount):
                read += readCount
                written += writtenCount
                // Only the gzip format allows several streams in a row.
                guard format == .gzip || read == bytes.count
                else { throw CompressionError(.damaged, in: subject) }
            case .needsRoom:
                guard output.count < limit
                else { throw CompressionError(.tooLarge(limit: limit), in: subject) }
                let step = min(max(output.count, Self.smallestStep), limit - output.count)
                output.append(contentsOf: repeatElement(0, count: step))
            case .damaged:
                throw CompressionError(.damaged, in: subject)
            }
        } while read < bytes.count
        output.removeLast(output.count - written)
        return output
    }

    private static let smallestStep = 1_024

    /// An initial size that suffices for most JSON and protobuf.
    private var likelyCount: Int { max(bytes.count * 4, Self.smallestStep) }
}
