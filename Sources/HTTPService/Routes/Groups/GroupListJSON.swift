import CallStacks
import Ingest
import JSONText

/// A list of groups as JSON, with keys in alphabetical order.
///
/// A page of groups has thousands of values, which `JSONEncoder` would take most of the request's
/// time for.
struct GroupListJSON {
    /// The number of groups of each kind, or `nil` to omit them.
    var kinds: [DiagnosticKind: Int]?
    /// The start of the next page, or `nil` if there is none.
    var next: String?
    private let groups: [DiagnosticGroup]

    init(_ groups: [DiagnosticGroup]) { self.groups = groups }

    var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.array("groups", of: groups, Self.write)
        if let kinds { Self.write(kinds, to: &writer) }
        if let next { writer.member("next", next) }
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ kinds: [DiagnosticKind: Int], to writer: inout JSONWriter) {
        writer.key("kinds")
        writer.beginObject()
        for (kind, count) in kinds.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            writer.key(kind.rawValue)
            writer.signed(Int64(count))
        }
        writer.endObject()
    }

    private static func write(_ group: DiagnosticGroup, to writer: inout JSONWriter) {
        writer.member("app", group.app)
        writer.member("culprit", group.culprit)
        writer.array("days", of: group.days, write)
        writer.member("diagnostics", group.diagnosticCount)
        writer.member("exception_message", group.exceptionMessage)
        writer.member("exception_type", group.exceptionName)
        writer.member("fingerprint", group.fingerprint)
        writer.member("first_seen", group.firstSeen.text)
        writer.member("kind", group.kind.rawValue)
        writer.member("last_seen", group.lastSeen.text)
        writer.member("newest", group.newest.description)
        writer.member("trend", group.trend?.rawValue)
        writer.member("unreadable", group.unreadableCount)
        writer.array("versions", of: group.versions, write)
    }

    private static func write(_ day: GroupDay, to writer: inout JSONWriter) {
        let start = UnixTime(rawValue: day.day * GroupDay.milliseconds)
        writer.member("day", String(start.text.prefix { $0 != "T" }))
        writer.member("diagnostics", day.diagnosticCount)
    }

    private static func write(_ version: GroupVersion, to writer: inout JSONWriter) {
        writer.member("diagnostics", version.diagnosticCount)
        writer.member("first_seen", version.firstSeen.text)
        writer.member("frames", version.frameCount)
        writer.member("last_seen", version.lastSeen.text)
        writer.member("symbolicated_frames", version.symbolicatedFrameCount)
        writer.member("version", version.version)
    }
}

extension JSONWriter {
    /// Writes an array of objects, whose members `write` adds.
    fileprivate mutating func array<Element>(
        _ key: StaticString, of elements: [Element], _ write: (Element, inout JSONWriter) -> Void
    ) {
        self.key(key)
        beginArray()
        for element in elements {
            beginObject()
            write(element, &self)
            endObject()
        }
        endArray()
    }

    fileprivate mutating func member(_ key: StaticString, _ number: Int) {
        self.key(key)
        signed(Int64(number))
    }

    /// - Parameter text: Written as `null` if it is `nil`.
    fileprivate mutating func member(_ key: StaticString, _ text: String?) {
        self.key(key)
        if let text { string(text) } else { null() }
    }
}
