public import Decompression

/// A file without the gzip or zstd around it. What is read of it, and what is written into it, is
/// counted in these bytes.
public struct UnwrappedFile: Sendable {
    public let bytes: [UInt8]
    public let wasCompressed: Bool

    /// A file in a file in a file is nobody's report.
    private static let layersLimit = 2

    /// - Parameters:
    ///   - file: As it came; what is not compressed stays as it is.
    ///   - limit: The most bytes that there is room for.
    /// - Throws: Where the compressed bytes are damaged, or stand for more than `limit`.
    public init(_ file: [UInt8], limit: Int) throws(CompressionError) {
        var bytes = file
        var layers = 0
        while layers < Self.layersLimit, let inflated = try Self.inflated(bytes, limit: limit) {
            bytes = inflated
            layers += 1
        }
        self.bytes = bytes
        wasCompressed = layers > 0
    }

    /// `nil` for bytes that begin neither as gzip nor as zstd.
    private static func inflated(
        _ bytes: [UInt8], limit: Int
    ) throws(CompressionError) -> [UInt8]? {
        if bytes.starts(with: [0x1f, 0x8b]) {
            return try CompressedBody(bytes, coding: .gzip).inflated(limit: limit)
        }
        guard bytes.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) else { return nil }
        return try ZstdInflater.inflated(bytes, limit: limit)
    }
}
