import CallStacks
package import JSONText
import MetricKitPayloads

/// A Sentry envelope: a line of JSON, then items, each a line of JSON and a payload.
///
///     {"event_id":"9ec7…","sent_at":"2026-01-01T00:00:00Z"}
///     {"type":"event","length":41}
///     {"exception":{"values":[…]},"debug_meta":{…}}
///
/// A payload has the item's `length` in bytes, or is one line if the item has none.
package struct SentryEnvelope {
    /// The maximum number of items read.
    static let itemLimit = 1_000

    /// The payloads of the events.
    let events: [Range<Int>]
    private let bytes: [UInt8]

    /// - Parameter root: The first value of the file.
    /// - Returns: `nil` if the file is not an envelope.
    package init?(_ bytes: [UInt8], in range: Range<Int>, from root: JSONValue) {
        guard root.kind == .object, root["event_id"] != nil || root["sent_at"] != nil,
            let headerEnd = bytes[root.range.upperBound..<range.upperBound].firstIndex(
                of: .newline),
            Self.item(bytes, at: headerEnd + 1, before: range.upperBound) != nil
        else { return nil }
        self.bytes = bytes
        var events: [Range<Int>] = []
        var position = headerEnd + 1
        for _ in 0..<Self.itemLimit {
            guard let item = Self.item(bytes, at: position, before: range.upperBound) else { break }
            if item.type == "event" { events.append(item.payload) }
            position = item.payload.upperBound
            if position < range.upperBound, bytes[position] == .newline { position += 1 }
        }
        self.events = events
    }

    /// Parses the item whose header is the line at a position.
    private static func item(
        _ bytes: [UInt8], at start: Int, before end: Int
    ) -> (type: String, payload: Range<Int>)? {
        guard start < end else { return nil }
        let lineEnd = bytes[start..<end].firstIndex(of: .newline) ?? end
        let document = JSONDocument(bytes, in: start..<lineEnd)
        guard document.failure == nil, let header = document.root, header.kind == .object,
            let type = header["type"]?.string
        else { return nil }
        let payload = min(lineEnd + 1, end)
        guard let length = header["length"]?.unsigned.flatMap({ Int(exactly: $0) }) else {
            return (type, payload..<(bytes[payload..<end].firstIndex(of: .newline) ?? end))
        }
        return (type, payload..<(length < end - payload ? payload + length : end))
    }

    /// Adds the reports of the envelope's events to a file.
    package func read(_ context: ReadingContext, into file: inout CrashFile) {
        for range in events {
            let document = JSONDocument(bytes, in: range)
            guard let root = document.root, SentryReport.fits(root) else { continue }
            SentryReport.read(
                JSONReportInput(document: document, root: root, range: range, context: context),
                into: &file)
        }
    }
}
