import HTMLText

/// The page of the drop zone, with a form that sends files.
public struct DropPage: Sendable {
    /// Whether the user may upload symbols.
    public var canUpload: Bool

    public init(canUpload: Bool) { self.canUpload = canUpload }

    public func page(in context: PageContext) -> [UInt8] {
        PageShell(context, section: .drop).page(title: "Drop a file") { html in
            html.element("h1", text: "Drop a crash file or symbols")
            html.element(
                "p", [.class("zone needs-script")],
                text: "Drop files or folders anywhere on the page")
            html.element(
                "p",
                text:
                    "Crash and hang reports, dSYMs, debug files, Xcode archives, zip archives and "
                    + "folders. Reports are shown at once, and kept in memory for an hour. Symbols "
                    + "are stored, and waiting reports become readable.")
            html.element(
                "form",
                [
                    .class("drop"), HTMLAttribute("method", "post"),
                    HTMLAttribute("enctype", "multipart/form-data"),
                    .action(context.link("drop")),
                ]
            ) { writeFields(to: &$0) }
        }
    }

    private func writeFields(to html: inout HTMLWriter) {
        writeField("Files", to: &html) { html in
            html.void(
                "input",
                [
                    .type("file"), .name("file"), .id("files"),
                    HTMLAttribute("multiple", isSet: true),
                ])
        }
        writeField("Folder", to: &html) { html in
            html.void(
                "input",
                [
                    .type("file"), .name("file"), HTMLAttribute("webkitdirectory", isSet: true),
                    HTMLAttribute("multiple", isSet: true),
                ])
        }
        writeField("Or paste a report", to: &html) { html in
            html.element(
                "textarea",
                [.name("text"), HTMLAttribute("rows", "6"), HTMLAttribute("cols", "80")]
            ) { _ in }
        }
        if canUpload {
            writeBuild(to: &html)
        } else {
            html.element(
                "p", [.class("note")], text: "Symbols need a token with the scope “upload”.")
        }
        html.element("button", text: "Send")
    }

    private func writeBuild(to html: inout HTMLWriter) {
        html.element("fieldset") { html in
            html.element("legend", text: "Build of the symbols, if the files do not specify it")
            for (label, name) in [("App", "app"), ("Version", "version"), ("Build", "build")] {
                writeField(label, to: &html) { $0.void("input", [.name(name)]) }
            }
        }
    }

    private func writeField(
        _ label: String, to html: inout HTMLWriter, control: (inout HTMLWriter) -> Void
    ) {
        html.element("p") { html in
            html.element("label") { html in
                html.text("\(label) ")
                control(&html)
            }
        }
    }
}
