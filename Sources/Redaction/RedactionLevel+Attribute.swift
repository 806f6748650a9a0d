public import CallStacks
import JSONText
import ReportFormats

extension RedactionLevel {
    /// Returns an attribute of telemetry with the private parts of its name and of its value
    /// redacted, like a member of a JSON object. A value in JSON is redacted by its own keys as
    /// well.
    public func redacted(attribute key: String, value: String) -> (key: String, value: String) {
        guard self != .none else { return (key, value) }
        var json = JSONWriter()
        json.beginObject()
        json.key(key)
        json.string(value)
        json.endObject()
        return (PrivateText.redacted(key), redacted(member: json.bytes) ?? Self.placeholder)
    }

    /// Returns the redacted value of an object with one member, or `nil` if it cannot be read.
    private func redacted(member json: [UInt8]) -> String? {
        let document = JSONDocument(json)
        guard let root = document.root, document.failure == nil else { return nil }
        let edits = JSONRedaction(level: self).edits(of: root)
        var members = JSONDocument(edits.applied(to: json)).root?.members
        return members?.next()?.value.string
    }
}
