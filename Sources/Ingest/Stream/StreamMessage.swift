public import CallStacks
import Crypto
import OTLP
public import Problems

/// A message of a stream as a request.
public enum StreamMessage {
    /// Returns the request in a message.
    ///
    /// Its key depends only on the position and time of the message, so that records keep their
    /// `log.record.uid` when the message is delivered again.
    ///
    /// - Parameters:
    ///   - place: The position of the message, which is unique.
    ///   - time: The time of the message, or `nil` if it has none. The sender's clock may be wrong,
    ///     so the time is used only for the key.
    ///   - app: The app that the sender's token was bound to.
    ///   - now: The time of arrival.
    /// - Throws: `Problem` if the message is not an export request of its signal in protobuf.
    public static func draft(
        of signal: Signal, _ body: [UInt8], at place: String, time: UnixTime?, from app: String?,
        now: UnixTime
    ) throws(Problem) -> JournalDraft {
        do throws(OTLPError) {
            switch signal {
            case .logs: try ExportLogsServiceRequest.check(protobuf: body)
            case .traces: try ExportTraceServiceRequest.check(protobuf: body)
            case .metrics: try ExportMetricsServiceRequest.check(protobuf: body)
            }
        } catch { throw error.problem }
        return JournalDraft(
            key: key(at: place, time: time), arrival: now, kind: EntryKind(signal), body: body,
            app: app,
            isRepeatable: true)
    }

    private static func key(at place: String, time: UnixTime?) -> EntryKey {
        let digest = SHA256.hash(data: Array(place.utf8))
        var generator = DigestWords(words: Array(digest))
        return EntryKey.unique(at: time ?? UnixTime(rawValue: 0), using: &generator)
    }
}

/// The bytes of a digest as random numbers.
private struct DigestWords: RandomNumberGenerator {
    var words: [UInt8]

    mutating func next() -> UInt64 {
        defer { words.removeFirst(8) }
        return UInt64(bigEndianBytes: words.prefix(8))
    }
}
