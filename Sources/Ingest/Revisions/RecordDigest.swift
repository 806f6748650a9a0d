import Crypto
import MetricKitSignals
import OTLP

/// The digest of a record's content. Records with equal digests have equal content.
///
/// The number of the revision is not part of it.
public struct RecordDigest: Hashable, Sendable {
    public let bytes: [UInt8]

    public static let length = 16

    /// Returns `nil` unless there are exactly ``length`` bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// - Parameters:
    ///   - record: The record as its first revision, regardless of its final number.
    ///   - resource: The resource, if it is created here rather than received.
    init(of record: EntryRecord, _ resource: Resource = Resource()) {
        var hash = SHA256()
        let envelope = resource == Resource() ? Self.bareEnvelope : Self.envelope(of: resource)
        if let envelope {
            var edit = LogRequestEdit(of: envelope)
            edit.replace(at: 0, with: record.content.pieces)
            hash.update(data: edit.encoded)
        }
        bytes = unsafe hash.finalize().withUnsafeBytes { unsafe Array($0.prefix(Self.length)) }
    }

    private static let bareEnvelope = envelope(of: Resource())

    /// Returns the request of one record, whose content is replaced.
    private static func envelope(of resource: Resource) -> LogRequestLayout? {
        let request = PayloadSignals.logs(of: [(resource, OTLP.LogRecord())])
        return (try? request.encoded(as: .protobuf)).flatMap(LogRequestLayout.init)
    }
}
