import HTMLText

/// A list of the keyboard shortcuts of the pages.
public struct ShortcutPage: Sendable {
    public init() {}

    /// Each key with its action. Every action also has a link or button.
    private static let keys: [(key: String, action: String)] = [
        ("?", "This page"), ("/", "Search"),
        ("g then c, h, m, b, v, s", "Crashes, hangs, missing symbols, builds, versions, health"),
        ("j, k", "Next and previous frame or row"), ("o", "Open or close a fold"),
        ("a", "All frames"), ("r", "Mangled names"), ("c", "Copy as Markdown"),
        ("C", "Copy crash text"), ("[, ]", "Newer and older diagnostic, or previous and next page"),
        ("arrows", "Move in a flame graph"), ("n, N", "Next and previous search result"),
        ("0, Escape", "Reset the zoom of a flame graph"),
    ]

    public func page(in context: PageContext) -> [UInt8] {
        PageShell(context, section: nil).page(title: "Keys") { html in
            html.element("h1", text: "Keys")
            ListTable(name: "Keys", columns: ["Key", "What it does"]).write(to: &html) { html in
                for (key, action) in Self.keys {
                    html.element("tr") { html in
                        html.element("td") { $0.element("kbd", text: key) }
                        html.element("td", text: action)
                    }
                }
            }
        }
    }
}
