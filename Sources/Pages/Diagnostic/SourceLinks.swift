import HTMLText
import PercentEncoding

/// Links to source files by a template, such as `https://git.example/shop/{path}#L{line}`.
public struct SourceLinks: Sendable {
    private let template: String

    /// - Returns: `nil` if the template is not an address of http or https.
    public init?(template: String) {
        guard LinkTarget(external: template) != nil else { return nil }
        self.template = template
    }

    func target(path: String, line: UInt32) -> LinkTarget? {
        let segments = path.split(separator: "/", omittingEmptySubsequences: true)
        let encoded = segments.map { String($0).percentEncoded() }.joined(separator: "/")
        let address = template.replacing("{path}", with: encoded)
            .replacing("{line}", with: "\(max(line, 1))")
        return LinkTarget(external: address)
    }
}
