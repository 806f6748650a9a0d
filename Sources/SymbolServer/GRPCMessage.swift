import Decompression
import GRPCCore

/// The message of a call, as the client sent it.
///
/// The library would inflate it on the thread that serves the connection, and in memory that is not
/// counted. So ``GRPCMessageArrival`` hands it on compressed, behind a byte that tells how.
struct GRPCMessage: Sendable {
    /// `nil` if the message is not compressed.
    let coding: ContentCoding?
    let bytes: [UInt8]

    /// The names for `grpc-encoding`, the identity excluded.
    static let codings = ContentCoding.allCases

    static func mark(of coding: ContentCoding?) -> UInt8 {
        coding.flatMap { codings.firstIndex(of: $0) }.map { UInt8($0 + 1) } ?? 0
    }

    /// The message before it was compressed.
    ///
    /// - Parameter limit: In bytes, after inflating.
    /// - Throws: A ``RequestError``.
    func inflated(upTo limit: Int) throws -> [UInt8] {
        guard let coding else { return bytes }
        do throws(CompressionError) {
            return try CompressedBody(bytes, coding: coding).inflated(limit: limit)
        } catch { throw RequestError(error) }
    }
}

/// Reads what ``GRPCMessageArrival`` hands on.
struct GRPCMessageReading: MessageDeserializer {
    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> GRPCMessage {
        unsafe bytes.withUnsafeBytes { bytes in
            let mark = unsafe Int(bytes.first ?? 0)
            return unsafe GRPCMessage(
                coding: mark == 0 ? nil : GRPCMessage.codings[mark - 1],
                bytes: Array(bytes.dropFirst()))
        }
    }
}
