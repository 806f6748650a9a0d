public import HTMLText
import PercentEncoding

/// Links to traces by a template, such as
/// `https://jaeger.example/trace/{trace_id}?uiFind={span_id}`.
public struct TraceLinks: Sendable {
    private let template: String

    /// - Returns: `nil` if the template is not an address of http or https.
    public init?(template: String) {
        guard LinkTarget(external: template) != nil else { return nil }
        self.template = template
    }

    /// - Parameters:
    ///   - trace: The identifier in hexadecimal digits.
    ///   - span: The identifier in hexadecimal digits, or an empty text.
    public func target(trace: String, span: String) -> LinkTarget? {
        LinkTarget(
            external: template.replacing("{trace_id}", with: trace.percentEncoded())
                .replacing("{span_id}", with: span.percentEncoded()))
    }
}
