public import CallStacks
import HTMLText
import StackRendering

/// The results of a drop, unless it is a single report.
public struct DroppedPage: Sendable {
    /// A report in the list.
    public struct Report: Hashable, Sendable {
        public var title: String
        public var status: SymbolicatedDiagnostic.Status
        public var app: String?

        public init(title: String, status: SymbolicatedDiagnostic.Status, app: String?) {
            self.title = title
            self.status = status
            self.app = app
        }
    }

    /// A debug file, or a file that was rejected.
    public struct File: Hashable, Sendable {
        public var name: String
        public var image: ImageID?
        public var architecture: String?
        public var status: String
        public var reason: String?

        public init(
            name: String, image: ImageID?, architecture: String?, status: String, reason: String?
        ) {
            self.name = name
            self.image = image
            self.architecture = architecture
            self.status = status
            self.reason = reason
        }
    }

    public var id: String
    public var reports: [Report] = []
    public var files: [File] = []
    public var outcome = DropOutcome()
    /// Files of unknown formats, with their first lines.
    public var unknown: [(name: String, lines: String)] = []
    /// The names of the report formats.
    public var formats = ""

    public init(id: String) { self.id = id }

    public func page(in context: PageContext) -> [UInt8] {
        PageShell(context, section: .drop).page(title: "Dropped files") { html in
            html.element("h1", text: "Dropped files")
            if reports.isEmpty, files.isEmpty, unknown.isEmpty {
                html.element(
                    "p", text: "No file was received. Choose files or paste a report.")
            }
            for sentence in outcome.sentences {
                html.element("p", [.class("remedy")]) { $0.element("bdi", text: sentence) }
            }
            writeReports(to: &html, context)
            writeFiles(to: &html, context)
            writeUnknown(to: &html)
            html.element("p") { html in
                html.element(
                    "a", [.class("button"), .href(context.link("drop"))], text: "Drop more")
            }
        }
    }

    private func writeReports(to html: inout HTMLWriter, _ context: PageContext) {
        guard !reports.isEmpty else { return }
        html.element("h2", text: "Reports")
        ListTable(name: "Reports", columns: ["What", "App", "Symbols"]).write(to: &html) { html in
            for (number, report) in reports.enumerated() {
                html.element("tr") { html in
                    html.element("td") { html in
                        let target = context.link("r", id, query: [("report", "\(number)")])
                        html.element("a", [.href(target)]) { $0.name(report.title) }
                    }
                    html.cell(report.app ?? "")
                    html.element("td") { html in
                        html.element(
                            "strong", [.class("badge", report.status.badge)],
                            text: report.status.rawValue)
                    }
                }
            }
        }
    }

    private func writeFiles(to html: inout HTMLWriter, _ context: PageContext) {
        guard !files.isEmpty else { return }
        html.element("h2", text: "Symbols")
        ListTable(name: "Symbols", columns: ["File", "Image", "Architecture", "Result"])
            .write(to: &html) { html in
                for file in files {
                    html.element("tr") { html in
                        html.cell(file.name)
                        html.element("td") { html in
                            guard let image = file.image else { return }
                            let target = context.link("images", image.description)
                            html.element("a", [.href(target)]) { $0.code(image.description) }
                        }
                        html.cell(file.architecture ?? "")
                        html.element("td") { writeResult(of: file, to: &$0) }
                    }
                }
            }
    }

    private func writeResult(of file: File, to html: inout HTMLWriter) {
        let style = file.status == "rejected" ? "bad" : file.status == "indexed" ? "good" : "warn"
        html.element("strong", [.class("badge", style)], text: file.status)
        guard let reason = file.reason else { return }
        html.text(" ")
        html.name(reason)
    }

    private func writeUnknown(to html: inout HTMLWriter) {
        guard !unknown.isEmpty else { return }
        html.element("h2", text: "Not read")
        html.element(
            "p",
            text: "These files are neither reports nor symbols. The report formats are: "
                + "\(formats).")
        for file in unknown {
            html.element("p") { html in
                html.element("b") { $0.name(file.name) }
            }
            guard !file.lines.isEmpty else { continue }
            html.element("pre", [.class("report")]) { html in
                for line in file.lines.split(separator: "\n", omittingEmptySubsequences: false) {
                    html.name(String(line))
                    html.text("\n")
                }
            }
        }
    }
}
