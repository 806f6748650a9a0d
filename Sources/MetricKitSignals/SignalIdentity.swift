import Crypto
import Foundation

/// What the identifiers of a payload's signals are made of: the head of the payload's SHA-256.
///
/// So they are the same however often a payload is converted, here and on the command line.
package struct SignalIdentity: Hashable, Sendable {
    private let bytes: [UInt8]

    private static let length = 16

    package init(of payload: [UInt8]) {
        bytes = Array(SHA256.hash(data: payload).prefix(Self.length))
    }

    /// `nil` unless there are exactly 16 bytes.
    package init?(digest bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// - Parameter position: Of the span among those of the payload.
    func traceID(_ position: Int) -> Data { Data(Self.sum(bytes, position)) }

    func spanID(_ position: Int) -> Data { Data(Self.sum(Array(bytes.prefix(8)), position)) }

    /// A big-endian number of bytes with another one added to its last four.
    private static func sum(_ bytes: [UInt8], _ number: Int) -> [UInt8] {
        let tail = bytes.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let sum = tail &+ UInt32(truncatingIfNeeded: number)
        return bytes.dropLast(4) + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) }
    }
}
