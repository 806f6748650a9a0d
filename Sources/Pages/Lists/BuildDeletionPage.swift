public import CallStacks
import HTMLText
import StackRendering

/// The debug files that are removed with a build, and the form that confirms the deletion.
public struct BuildDeletionPage: Sendable {
    /// An image of the build whose debug file stays.
    public struct KeptImage: Hashable, Sendable {
        public var id: ImageID
        public var name: String
        public var reason: String

        public init(id: ImageID, name: String, reason: String) {
            self.id = id
            self.name = name
            self.reason = reason
        }
    }

    /// The stored diagnostics of the build.
    public struct Diagnostics: Hashable, Sendable {
        /// The number of diagnostics with functions.
        public var readable: Int
        /// Whether there may be more than ``readable``.
        public var isLowerBound: Bool
        /// The number of diagnostics that wait for the most wanted missing image.
        public var waiting: Int

        public init(readable: Int, isLowerBound: Bool, waiting: Int) {
            self.readable = readable
            self.isLowerBound = isLowerBound
            self.waiting = waiting
        }
    }

    public var build: BuildRow
    /// The debug files that are removed.
    public var files: [DebugFileRow]
    /// The size of ``files``, in bytes.
    public var byteCount: Int64 = 0
    public var kept: [KeptImage] = []
    /// The diagnostics of the build, or `nil` if the user may not read them.
    public var diagnostics: Diagnostics?

    public init(build: BuildRow, files: [DebugFileRow]) {
        self.build = build
        self.files = files
    }

    public func page(in context: PageContext) -> [UInt8] {
        let title = "Delete \(build.title)?"
        return PageShell(context, section: .builds).page(title: title) { html in
            html.element("h1") { $0.name(title) }
            html.element("p", text: removal)
            writeFiles(to: &html, context)
            writeKept(to: &html, context)
            writeDiagnostics(to: &html)
            html.element(
                "form",
                [
                    .class("controls"), HTMLAttribute("method", "post"),
                    .action(build.deletion(context)),
                ]
            ) { html in
                html.element("button", [.class("danger")], text: "Delete")
                html.element("a", [.class("button"), .href(build.link(context))], text: "Cancel")
            }
        }
    }

    private var removal: String {
        guard !files.isEmpty else {
            return "This removes the build from the list. No debug file is removed."
        }
        return "This removes the build and \(counted(files.count, "debug file")), "
            + "\(byteText(byteCount))."
    }

    private func writeFiles(to html: inout HTMLWriter, _ context: PageContext) {
        guard !files.isEmpty else { return }
        html.element("h2", text: "Removed")
        ListTable(
            name: "Removed", columns: ["Image", "UUID", "Architecture", "File", "Size"]
        ).write(to: &html) { html in
            for file in files {
                html.element("tr") { html in
                    html.cell(build.images.first { $0.id == file.image }?.name ?? "???")
                    writeIdentity(file.image, to: &html, context)
                    html.cell(file.architecture)
                    html.cell(file.name)
                    html.element("td", [.class("count")], text: byteText(file.byteCount))
                }
            }
        }
    }

    private func writeKept(to html: inout HTMLWriter, _ context: PageContext) {
        guard !kept.isEmpty else { return }
        html.element("h2", text: "Kept")
        ListTable(name: "Kept", columns: ["Image", "UUID", "Why"]).write(to: &html) { html in
            for image in kept {
                html.element("tr") { html in
                    html.cell(image.name)
                    writeIdentity(image.id, to: &html, context)
                    html.element("td", text: image.reason)
                }
            }
        }
    }

    private func writeIdentity(
        _ image: ImageID, to html: inout HTMLWriter, _ context: PageContext
    ) {
        html.element("td") { html in
            html.element("a", [.href(context.link("images", image.description))]) {
                $0.code(image.description)
            }
        }
    }

    private func writeDiagnostics(to html: inout HTMLWriter) {
        guard let diagnostics else { return }
        html.element("h2", text: "Diagnostics of this build")
        let bound = diagnostics.isLowerBound ? "at least " : ""
        html.element("dl", [.class("facts")]) { html in
            writeFact("With functions", bound + grouped(diagnostics.readable), to: &html)
            writeFact("Waiting for symbols", grouped(diagnostics.waiting), to: &html)
        }
        guard diagnostics.readable > 0, !files.isEmpty else { return }
        html.element(
            "p",
            text: "Without the removed files, these pages show addresses in place of their "
                + "functions. Exported records do not change.")
    }

    private func writeFact(_ label: String, _ value: String, to html: inout HTMLWriter) {
        html.element("div") { html in
            html.element("dt", text: label)
            html.element("dd", text: value)
        }
    }
}
