import CallStacks
import JSONText

/// The line of JSON that Apple puts before a report.
struct IPSHeader {
    let root: JSONValue

    static func fits(_ root: JSONValue) -> Bool {
        guard root.kind == .object, root["usedImages"] == nil, root["threads"] == nil
        else { return false }
        if let kind = root["bug_type"], kind.kind == .string || kind.kind == .number { return true }
        return root["incident_id"] != nil && root["os_version"] != nil
    }
}
