import Crypto
import MetricKitSignals
import OTLP

/// What a record says in one of its revisions, as a digest: records of equal digests say the same.
///
/// The number of the revision is not part of it.
public struct ContentDigest: Hashable, Sendable {
    public let bytes: [UInt8]

    public static let length = 16

    /// `nil` unless there are exactly ``length`` bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// - Parameters:
    ///   - record: With the first revision's number, whichever it gets.
    ///   - resource: If it is made here as well, and not received.
    init(of record: OTLP.LogRecord, _ resource: Resource = Resource()) {
        let request = PayloadSignals.logs(of: [(resource, record)])
        // What is too large to be written is never sent.
        let encoded = (try? request.encoded(as: .protobuf)) ?? []
        bytes = Array(SHA256.hash(data: encoded).prefix(Self.length))
    }
}
