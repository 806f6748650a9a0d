import CallStacks
import HTMLText

/// The buttons and choices above the stacks of a diagnostic.
struct DiagnosticControls {
    let page: DiagnosticPage
    let context: PageContext

    func write(to html: inout HTMLWriter) {
        html.element("div", [.class("controls")]) { html in
            writeCopyButtons(to: &html)
            writeDownloads(to: &html)
        }
        if let forget = page.forget {
            html.element(
                "form", [.class("controls"), HTMLAttribute("method", "post"), .action(forget)]
            ) { $0.element("button", text: "Forget this report") }
        }
        html.element("div", [.class("controls choices")]) { html in
            if showsFrames {
                writeChoice("Frames", \.frames, to: &html)
                writeChoice("Names", \.names, to: &html)
                writeChoice("Paths", \.paths, to: &html)
            }
            writeChoice("View", \.form, to: &html)
        }
        var chosen = page.options
        if !showsFrames {
            (chosen.frames, chosen.names, chosen.paths) = (.folded, .plain, .file)
        }
        guard !chosen.pills.isEmpty else { return }
        html.element("p", [.class("pills")]) { html in
            for pill in chosen.pills {
                html.element("a", [.href(link(pill.without))], text: "\(pill.label) ×")
                html.text(" ")
            }
        }
    }

    /// Whether the page shows the frames of threads. All choices except the view apply only to
    /// them.
    private var showsFrames: Bool {
        page.diagnostic.form == .threads && page.options.form == .stack
    }

    private func writeDownloads(to html: inout HTMLWriter) {
        guard !page.downloads.isEmpty else { return }
        html.element("details", [.class("menu")]) { html in
            html.element("summary", [.class("button")], text: "Download")
            html.element("ul") { html in
                for download in page.downloads {
                    html.element("li") { html in
                        html.element("a", [.href(download.target)], text: download.name)
                    }
                }
            }
        }
    }

    /// Writes the buttons that copy the content of a download. They need the script; without it
    /// they are invisible but keep their place.
    private func writeCopyButtons(to html: inout HTMLWriter) {
        for (name, key, label) in [
            ("Markdown", "c", "Copy as Markdown"), (".crash", "C", "Copy crash text"),
        ] {
            guard let target = page.downloads.first(where: { $0.name == name })?.target
            else { continue }
            html.element(
                "button",
                [
                    .type("button"), .class("needs-script"), HTMLAttribute("data-key", key),
                    HTMLAttribute("data-copy-from", target.text),
                ], text: label)
        }
    }

    /// Writes links to the values of one option.
    private func writeChoice<Choice: RawRepresentable<String> & CaseIterable & Equatable>(
        _ label: String, _ path: WritableKeyPath<DiagnosticViewOptions, Choice>,
        to html: inout HTMLWriter
    ) {
        html.element(
            "span",
            [.class("choice"), HTMLAttribute("role", "group"), HTMLAttribute("aria-label", label)]
        ) { html in
            html.element("span", [.class("note")], text: label)
            for choice in Choice.allCases {
                var other = page.options
                other[keyPath: path] = choice
                let isCurrent = choice == page.options[keyPath: path]
                html.element(
                    "a",
                    [
                        .href(link(other)),
                        HTMLAttribute("aria-current", isCurrent ? "true" : nil),
                        HTMLAttribute("data-choice", "\(label) \(choice.rawValue)"),
                    ], text: choice.rawValue)
            }
        }
    }

    private func link(_ options: DiagnosticViewOptions) -> LinkTarget {
        page.link(context)(options)
    }
}
