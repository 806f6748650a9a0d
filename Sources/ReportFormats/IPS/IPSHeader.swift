import CallStacks
package import JSONText

/// The line of JSON that Apple writes before a report.
package struct IPSHeader {
    let root: JSONValue

    package init(_ root: JSONValue) { self.root = root }

    package init?(_ root: JSONValue?) {
        guard let root else { return nil }
        self.root = root
    }

    package static func fits(_ root: JSONValue) -> Bool {
        // Bodies of newer reports state their kind, too.
        guard root.kind == .object, root["usedImages"] == nil, root["threads"] == nil,
            !UnsupportedJSONReport.fits(root), !StackshotReport.fits(root), !JetsamReport.fits(root)
        else { return false }
        if let kind = root["bug_type"], kind.kind == .string || kind.kind == .number { return true }
        return root["incident_id"] != nil && root["os_version"] != nil
    }

    /// Whether a truncated value is the beginning of a header, which starts with the app's name.
    package static func isBeginning(_ input: JSONReportInput) -> Bool {
        guard input.damage == .jsonTruncated,
            let first = input.root.members.first(where: { _ in true })
        else { return false }
        return first.isNamed("app_name") && LogLayout.key(of: input.root) == nil
    }

    package var bugType: BugType? { BugType(root["bug_type"]) }

    /// The name of the process and of its main executable.
    var name: String? { root["name"]?.nonEmpty ?? root["app_name"]?.nonEmpty }

    /// The identity of the main executable.
    var mainImage: ImageID? { root["slice_uuid"]?.string.flatMap { ImageID($0) } }
}
