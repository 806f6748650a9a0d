import Decompression
import GRPCCore

/// The message of a call, compressed if the client compressed it.
///
/// The library would decompress it on the connection's event loop, using memory that is not
/// counted. Therefore ``GRPCMessageAccumulator`` forwards it compressed, prefixed with a byte that
/// identifies the coding.
struct GRPCMessage: Sendable {
    /// The coding, or `nil` if the message is not compressed.
    let coding: ContentCoding?
    let bytes: [UInt8]

    /// The supported values of `grpc-encoding` other than `identity`.
    static let codings = ContentCoding.allCases

    /// Returns the prefix byte for a coding.
    static func prefix(for coding: ContentCoding?) -> UInt8 {
        coding.flatMap { codings.firstIndex(of: $0) }.map { UInt8($0 + 1) } ?? 0
    }

    /// Returns the decompressed message.
    ///
    /// - Parameter limit: The maximum size of the result, in bytes.
    /// - Throws: A ``RequestError`` if the message is corrupt or too large.
    func decompressed(limit: Int) throws -> [UInt8] {
        guard let coding else { return bytes }
        do throws(CompressionError) {
            return try CompressedBody(bytes, coding: coding).inflated(limit: limit)
        } catch { throw RequestError(error) }
    }
}

/// Reads messages in the form that ``GRPCMessageAccumulator`` forwards.
struct GRPCMessageDeserializer: MessageDeserializer {
    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> GRPCMessage {
        unsafe bytes.withUnsafeBytes { bytes in
            let prefix = unsafe Int(bytes.first ?? 0)
            return unsafe GRPCMessage(
                coding: prefix == 0 ? nil : GRPCMessage.codings[prefix - 1],
                bytes: Array(bytes.dropFirst()))
        }
    }
}
