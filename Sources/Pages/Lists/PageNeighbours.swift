import HTMLText

/// The pages before and after one page of a list.
public struct PageNeighbours: Hashable, Sendable {
    /// The names of the links.
    public enum Words: Sendable {
        /// For lists by time.
        case times
        case positions

        var texts: (before: String, after: String) {
            switch self {
            case .times: ("‹ Newer", "Older ›")
            case .positions: ("‹ Previous", "Next ›")
            }
        }
    }

    /// The position at which the previous page ends, or `nil` on the first page.
    public var newer: String?
    /// The position after which the next page starts, or `nil` on the last page.
    public var older: String?

    public init(newer: String? = nil, older: String? = nil) {
        self.newer = newer
        self.older = older
    }

    func write(
        to html: inout HTMLWriter, segments: [String], query: [(name: String, value: String?)],
        words: Words = .times, _ context: PageContext
    ) {
        guard self != Self() else { return }
        func link(_ name: String, _ position: String) -> LinkTarget {
            LinkTarget(
                prefix: context.prefix, segments: segments, query: query + [(name, position)])
        }
        html.element("nav", [.class("controls"), HTMLAttribute("aria-label", "Pages")]) { html in
            if let newer {
                html.element(
                    "a",
                    [
                        .class("button"), HTMLAttribute("rel", "prev"),
                        .href(link("after", newer)),
                    ], text: words.texts.before)
            }
            if let older {
                html.element(
                    "a",
                    [
                        .class("button"), HTMLAttribute("rel", "next"),
                        .href(link("before", older)),
                    ], text: words.texts.after)
            }
        }
    }
}
