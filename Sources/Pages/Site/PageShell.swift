public import HTMLText

/// The parts that every page has: header, navigation, search, and one line for messages.
public struct PageShell: Sendable {
    let context: PageContext
    let section: PageSection?

    public init(_ context: PageContext, section: PageSection?) {
        self.context = context
        self.section = section
    }

    /// Returns a complete page.
    ///
    /// - Parameter title: The title of the browser's tab. It contains no message of a report,
    ///   because titles end up in histories and logs.
    public func page(title: String, main: (inout HTMLWriter) -> Void) -> [UInt8] {
        let page = HTMLWriter(document: rootAttributes) { html in
            html.element("head") { writeHead(title: title, to: &$0) }
            html.element("body") { html in
                html.element(
                    "a", [.class("skip"), .href(LinkTarget(fragment: "main"))],
                    text: "Skip to content")
                html.element("header") { writeHeader(to: &$0) }
                html.element("main", [.id("main")]) { html in
                    main(&html)
                    writeFailedParts(to: &html)
                }
                html.element(
                    "p", [.id("status"), .class("status"), HTMLAttribute("role", "status")]
                ) { _ in }
            }
        }
        return page.bytes
    }

    private func writeFailedParts(to html: inout HTMLWriter) {
        for failure in context.failedParts {
            html.element("p", [.class("warn")]) { html in
                html.text("A part of this page cannot be shown. ")
                html.name(failure)
            }
        }
    }

    private var rootAttributes: [HTMLAttribute] {
        [
            HTMLAttribute("lang", "en"),
            HTMLAttribute("data-theme", context.theme?.rawValue),
        ]
    }

    private func writeHead(title: String, to html: inout HTMLWriter) {
        html.void("meta", [HTMLAttribute("charset", "utf-8")])
        html.element("title", text: title.isEmpty ? "Symbolist" : "\(plain(title)) · Symbolist")
        html.void(
            "meta",
            [.name("viewport"), HTMLAttribute("content", "width=device-width, initial-scale=1")])
        html.void("meta", [.name("color-scheme"), HTMLAttribute("content", "light dark")])
        html.void(
            "link",
            [HTMLAttribute("rel", "icon"), .type("image/svg+xml"), .href(context.icon)])
        html.void("link", [HTMLAttribute("rel", "stylesheet"), .href(context.styleSheet)])
        html.element("script", [.type("module"), HTMLAttribute("src", context.script.text)]) { _ in
        }
    }

    private func writeHeader(to html: inout HTMLWriter) {
        html.element("nav", [HTMLAttribute("aria-label", "Sections")]) { html in
            html.element("a", [.class("brand"), .href(context.link())], text: "Symbolist")
            for section in PageSection.allCases where section != .drop {
                writeLink(to: section, in: &html)
            }
        }
        html.element("div", [.class("tools")]) { html in
            html.element(
                "form",
                [
                    .class("search"), HTMLAttribute("role", "search"),
                    .action(context.link("search")),
                ]
            ) { html in
                html.void(
                    "input",
                    [
                        .type("search"), .name("q"), .id("search"),
                        HTMLAttribute("placeholder", "Search"),
                        HTMLAttribute("aria-label", "Search crashes, images and identifiers"),
                    ])
            }
            writeLink(to: .drop, in: &html, style: "button")
            if let viewer = context.viewer {
                writeViewer(viewer, to: &html)
            }
            writeThemes(to: &html)
            html.element(
                "a", [.class("quiet"), .id("keys"), .href(context.link("keys"))], text: "Keys")
        }
    }

    private func writeViewer(_ viewer: String, to html: inout HTMLWriter) {
        html.element(
            "form", [HTMLAttribute("method", "post"), .action(context.link("sign-out"))]
        ) { html in
            html.name(viewer)
            html.text(" ")
            html.element("button", text: "Sign out")
        }
    }

    /// Writes a button that switches to the next theme.
    private func writeThemes(to html: inout HTMLWriter) {
        html.element(
            "form",
            [HTMLAttribute("method", "post"), .action(context.link("view")), .class("theme")]
        ) { html in
            html.void("input", [.type("hidden"), .name("return"), .value(context.here)])
            let other: PageContext.Theme? =
                switch context.theme {
                case nil: .dark
                case .dark: .light
                case .light: nil
                }
            let theme = context.theme?.rawValue ?? "system"
            html.element(
                "button",
                [
                    .name("theme"), .value(other?.rawValue ?? ""),
                    HTMLAttribute("aria-label", "Theme: \(theme)"),
                ]
            ) { html in
                html.element("span", [.class("wide")], text: "Theme: ")
                html.text(theme)
            }
        }
    }

    private func writeLink(
        to section: PageSection, in html: inout HTMLWriter, style: String? = nil
    ) {
        html.element(
            "a",
            [
                .class(style), .href(section.link(context)),
                HTMLAttribute("aria-current", section == self.section ? "page" : nil),
            ], text: section.title)
    }
}
