import HTMLText
import StackRendering

/// A page that explains an error and what to do.
public struct MessagePage: Sendable {
    public var title: String
    public var explanation: String
    /// What the user can do, or `nil` if there is nothing useful to suggest.
    public var suggestion: String?
    /// Whether the page links to the list of all diagnostics.
    public var leadsToList = false
    /// The number of seconds after which the user should try again.
    public var retryAfter: Int?

    public init(
        title: String, explanation: String, suggestion: String?, retryAfter: Int?
    ) {
        self.title = title
        self.explanation = explanation
        self.suggestion = suggestion
        self.retryAfter = retryAfter
    }

    public func page(in context: PageContext, section: PageSection? = nil) -> [UInt8] {
        PageShell(context, section: section).page(title: title) { html in
            html.element("h1", text: plain(title))
            html.element("p") { $0.name(Self.sentence(explanation)) }
            if let suggestion { html.element("p") { $0.name(Self.sentence(suggestion)) } }
            if let retryAfter {
                html.element("p", text: "Try again in \(counted(retryAfter, "second")).")
            }
            if leadsToList {
                html.element("p") { html in
                    html.element(
                        "a", [.class("button"), .href(context.link())],
                        text: "All crashes and hangs")
                }
            }
        }
    }

    /// Returns a part of an error as a sentence.
    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
    }
}
