import HTMLText
import StackRendering

/// A page that explains what happened and what to do, for errors and for empty pages.
public struct MessagePage: Sendable {
    public var title: String
    public var explanation: String
    /// A command that helps, to be copied.
    public var command: String?
    /// The number of seconds after which the user should try again.
    public var retryAfter: Int?

    public init(
        title: String, explanation: String, command: String? = nil, retryAfter: Int? = nil
    ) {
        self.title = title
        self.explanation = explanation
        self.command = command
        self.retryAfter = retryAfter
    }

    public func page(in context: PageContext, section: PageSection? = nil) -> [UInt8] {
        PageShell(context, section: section).page(title: title) { html in
            html.element("h1", text: plain(title))
            html.element("p") { $0.name(explanation) }
            if let retryAfter {
                html.element("p", text: "Try again in \(counted(retryAfter, "second")).")
            }
            if let command { html.command(command, id: "command") }
        }
    }
}
