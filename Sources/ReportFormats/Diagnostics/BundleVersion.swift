/// The version of an app in the notation of text reports: `1.4.0 (217)`, or `217 (1.4.0)` in older
/// ones.
struct BundleVersion {
    var short: String
    /// The build number, or `nil` if the report has only one of the two.
    var build: String?

    init(_ text: String) {
        short = text
        guard text.last == ")", let open = text.lastIndex(of: "(") else { return }
        let outer = text[..<open].trimmed
        let inner = text[text.index(after: open)...].dropLast().trimmed
        guard !outer.isEmpty, !inner.isEmpty else { return }
        // A build number without a full stop precedes a version only in older reports.
        let isBuildFirst = outer.allSatisfy(\.isNumber) && inner.contains(".")
        (short, build) = isBuildFirst ? (inner, outer) : (outer, inner)
    }
}
