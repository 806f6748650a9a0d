public import Decompression
public import Problems
import ReportFormats

/// A file after decompression, in UTF-8 with LF line ends. Reports and edits refer to these bytes.
public struct DecodedFile: Sendable {
    /// The bytes as received.
    public let received: [UInt8]
    public private(set) var bytes: [UInt8]
    /// Why the bytes are incomplete, or `nil` if they are not. A problem without a subject concerns
    /// the file itself.
    public internal(set) var damage: Problem?
    private let wideText: UTF16Text?
    /// Whether lines end with CR alone, as on old Macs.
    private let endsLinesInCR: Bool

    /// The maximum number of layers of compression.
    private static let layersLimit = 2

    /// - Parameters:
    ///   - received: The bytes as received, compressed or not.
    ///   - limit: The maximum size after decompression, in bytes.
    /// - Throws: `CompressionError` if the size exceeds `limit`. A damaged file results in the
    ///   bytes before the damage.
    public init(_ received: [UInt8], limit: Int) throws(CompressionError) {
        var bytes = received
        var isDamaged = false
        for _ in 0..<Self.layersLimit where !isDamaged {
            do throws(CompressionError) {
                guard let inflated = try Self.inflated(bytes, limit: limit) else { break }
                bytes = inflated
            } catch {
                guard error.reason == .damaged else { throw error }
                isDamaged = true
                bytes = Self.inflatedPrefix(bytes, limit: limit)
            }
        }
        self.init(bytes, received: received, damage: isDamaged ? Self.damaged : nil)
    }

    private static let damaged = Problem(
        detail: "is corrupt or truncated", suggestion: "use an intact copy")

    /// Creates a file from bytes that are not compressed.
    public init(_ received: [UInt8]) { self.init(received, received: received, damage: nil) }

    /// - Parameter bytes: The content of `received`, decompressed elsewhere.
    init(_ bytes: [UInt8], received: [UInt8], damage: Problem?) {
        self.received = received
        self.damage = damage
        wideText = UTF16Text(bytes)
        let bytes = wideText?.bytes ?? bytes
        // Only if the file contains no LF can every LF be replaced by CR again.
        endsLinesInCR = !bytes.contains(.newline) && bytes.contains(.carriageReturn)
        self.bytes = endsLinesInCR ? bytes.replacing([.carriageReturn], with: [.newline]) : bytes
    }

    /// Returns a text in UTF-8, whether it is that already or UTF-16 with a byte-order mark.
    public static func inUTF8(_ text: [UInt8]) -> [UInt8] { UTF16Text(text)?.bytes ?? text }

    /// Returns the same file with other content.
    public func replacingBytes(with bytes: [UInt8]) -> Self {
        var file = self
        file.bytes = bytes
        return file
    }

    /// Returns edited ``bytes`` with the file's line ends, in its encoding.
    public func encoded(_ bytes: [UInt8]) -> [UInt8] {
        let bytes = endsLinesInCR ? bytes.replacing([.newline], with: [.carriageReturn]) : bytes
        return wideText?.encoded(bytes) ?? bytes
    }

    private static let gzipMagic: [UInt8] = [0x1f, 0x8b]

    /// Returns `nil` if the bytes are neither gzip nor zstd.
    private static func inflated(
        _ bytes: [UInt8], limit: Int
    ) throws(CompressionError) -> [UInt8]? {
        if bytes.starts(with: gzipMagic) {
            return try CompressedBody(bytes, coding: .gzip).inflated(limit: limit)
        }
        guard bytes.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) else { return nil }
        return try ZstdInflater.inflated(bytes, limit: limit)
    }

    private static func inflatedPrefix(_ bytes: [UInt8], limit: Int) -> [UInt8] {
        bytes.starts(with: gzipMagic)
            ? CompressedBody(bytes, coding: .gzip).inflatedPrefix(limit: limit)
            : ZstdInflater.inflatedPrefix(bytes, limit: limit)
    }
}
