import CallStacks
import Ingest
import JSONText
import Redaction
import StackRendering

/// A list of groups as JSON, with keys in alphabetical order.
///
/// A page of groups has thousands of values, and `JSONEncoder` would take most of the request's
/// time.
struct GroupListJSON {
    /// The number of groups of each kind, or `nil` to omit them.
    var kinds: [DiagnosticKind: Int]?
    /// The start of the next page, or `nil` if there is none.
    var next: String?
    private let groups: [DiagnosticGroup]
    private let redaction: RedactionLevel

    init(_ groups: [DiagnosticGroup], _ redaction: RedactionLevel) {
        self.groups = groups
        self.redaction = redaction
    }

    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.array("groups", groups, write)
        if let kinds { Self.write(&writer, kinds) }
        if let next { writer.member("next", next) }
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ writer: inout JSONWriter, _ kinds: [DiagnosticKind: Int]) {
        writer.key("kinds")
        writer.beginObject()
        for (kind, count) in kinds.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            writer.key(kind.rawValue)
            writer.signed(Int64(count))
        }
        writer.endObject()
    }

    private func write(_ writer: inout JSONWriter, _ group: DiagnosticGroup) {
        writer.beginObject()
        writer.member("app", group.app)
        writer.member("culprit", group.culprit)
        writer.array("days", group.days, Self.write)
        writer.member("diagnostics", group.diagnosticCount)
        writer.member(
            "exception_message", group.exceptionMessage.map { redaction.redacted(message: $0) })
        writer.member("exception_type", group.exceptionName)
        writer.member("fingerprint", group.fingerprint)
        writer.member("first_seen", group.firstSeen.text)
        writer.member("kind", group.kind.rawValue)
        writer.member("last_seen", group.lastSeen.text)
        writer.member("newest", group.newest.description)
        writer.member("trend", group.trend?.rawValue)
        writer.member("unreadable", group.unreadableCount)
        writer.array("versions", group.versions, Self.write)
        writer.endObject()
    }

    private static func write(_ writer: inout JSONWriter, _ day: GroupDay) {
        writer.beginObject()
        let start = UnixTime(rawValue: day.day * UnixTime.millisecondsPerDay)
        writer.member("day", String(start.text.prefix { $0 != "T" }))
        writer.member("diagnostics", day.diagnosticCount)
        writer.endObject()
    }

    private static func write(_ writer: inout JSONWriter, _ version: GroupVersion) {
        writer.beginObject()
        writer.member("diagnostics", version.diagnosticCount)
        writer.member("first_seen", version.firstSeen.text)
        writer.member("frames", version.frameCount)
        writer.member("last_seen", version.lastSeen.text)
        writer.member("symbolicated_frames", version.symbolicatedFrameCount)
        writer.member("version", version.version)
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ key: StaticString, _ number: Int) {
        self.key(key)
        signed(Int64(number))
    }
}
