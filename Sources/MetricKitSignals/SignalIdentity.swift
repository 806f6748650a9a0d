import Crypto
import Foundation

/// The start of a payload's SHA-256, from which the identifiers of its signals are derived. Every
/// conversion of a payload results in the same identifiers, in the service and on the command line.
package struct SignalIdentity: Hashable, Sendable {
    private let bytes: [UInt8]

    private static let length = 16

    package init(of payload: [UInt8]) {
        bytes = Array(SHA256.hash(data: payload).prefix(Self.length))
    }

    /// Returns `nil` unless there are exactly 16 bytes.
    package init?(digest bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// - Parameter position: The position of the span among those of the payload.
    func traceID(_ position: Int) -> Data { Data(Self.sum(bytes, adding: position)) }

    func spanID(_ position: Int) -> Data {
        Data(Self.sum(Array(bytes.prefix(8)), adding: position))
    }

    /// Adds a number to the last four bytes of a big-endian number.
    private static func sum(_ bytes: [UInt8], adding number: Int) -> [UInt8] {
        let tail = bytes.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let sum = tail &+ UInt32(truncatingIfNeeded: number)
        return bytes.dropLast(4) + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) }
    }
}
