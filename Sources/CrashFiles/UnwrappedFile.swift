public import Decompression

/// A file without the compression around it, in UTF-8 and with LF at the end of lines. What is read
/// of it, and what is written into it, is counted in these bytes.
public struct UnwrappedFile: Sendable {
    /// As it came.
    public let received: [UInt8]
    public private(set) var bytes: [UInt8]
    /// Why the bytes are not all that the file stands for: `gzip body: is damaged or cut off: …`.
    public internal(set) var damage: String?
    private let wideText: WideText?
    /// Whether its lines end in CR alone, as on old Macs.
    private let endsLinesInCR: Bool

    /// A file in a file in a file is nobody's report.
    private static let layersLimit = 2

    /// - Parameters:
    ///   - received: What is not compressed stays as it is.
    ///   - limit: The most bytes that there is room for.
    /// - Throws: Where the compressed bytes stand for more than `limit`. Of damaged ones there is what
    ///   comes before the damage.
    public init(_ received: [UInt8], limit: Int) throws(CompressionError) {
        var bytes = received
        var damage: CompressionError?
        for _ in 0..<Self.layersLimit where damage == nil {
            do throws(CompressionError) {
                guard let inflated = try Self.inflated(bytes, limit: limit) else { break }
                bytes = inflated
            } catch {
                guard error.reason == .damaged else { throw error }
                damage = error
                bytes = Self.inflatedPrefix(bytes, limit: limit)
            }
        }
        self.init(bytes, received: received, damage: damage?.description)
    }

    /// A file that is not compressed.
    public init(_ received: [UInt8]) { self.init(received, received: received, damage: nil) }

    /// - Parameter bytes: What `received` stands for, unwrapped by other means.
    init(_ bytes: [UInt8], received: [UInt8], damage: String?) {
        self.received = received
        self.damage = damage
        wideText = WideText(bytes)
        let bytes = wideText?.bytes ?? bytes
        // No byte that is already there can be mistaken for one that was replaced.
        endsLinesInCR = !bytes.contains(.newline) && bytes.contains(.carriageReturn)
        self.bytes = endsLinesInCR ? bytes.replacing([.carriageReturn], with: [.newline]) : bytes
    }

    /// The same file with other contents.
    public func holding(_ bytes: [UInt8]) -> Self {
        var file = self
        file.bytes = bytes
        return file
    }

    /// What was written into ``bytes``, with the line ends and in the encoding that the file has.
    public func encoded(_ bytes: [UInt8]) -> [UInt8] {
        let bytes = endsLinesInCR ? bytes.replacing([.newline], with: [.carriageReturn]) : bytes
        return wideText?.encoded(bytes) ?? bytes
    }

    private static let gzipMagic: [UInt8] = [0x1f, 0x8b]

    /// `nil` for bytes that begin neither as gzip nor as zstd.
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
