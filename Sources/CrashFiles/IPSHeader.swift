import CallStacks
import JSONText

/// The line of JSON that Apple puts before a report.
struct IPSHeader {
    let root: JSONValue

    init(_ root: JSONValue) { self.root = root }

    init?(_ root: JSONValue?) {
        guard let root else { return nil }
        self.root = root
    }

    static func fits(_ root: JSONValue) -> Bool {
        // Bodies of newer reports say of what kind they are, too.
        guard root.kind == .object, root["usedImages"] == nil, root["threads"] == nil,
            !RefusedReport.fits(root)
        else { return false }
        if let kind = root["bug_type"], kind.kind == .string || kind.kind == .number { return true }
        return root["incident_id"] != nil && root["os_version"] != nil
    }

    /// Whether a value that breaks off is the beginning of a header. Apple's begin with the name of
    /// the app.
    static func isBeginning(_ part: JSONPart) -> Bool {
        guard part.damage == .jsonTruncated,
            let first = part.root.members.first(where: { _ in true })
        else { return false }
        return first.isNamed("app_name") && LogForm.key(of: part.root) == nil
    }

    var bugType: BugType? { BugType(root["bug_type"]) }

    /// What the process is called, which is the name of its main executable too.
    var name: String? { root["name"]?.nonEmpty ?? root["app_name"]?.nonEmpty }

    /// The identity of the main executable.
    var mainImage: ImageID? { root["slice_uuid"]?.string.flatMap { ImageID($0) } }
}
