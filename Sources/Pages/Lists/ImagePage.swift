public import CallStacks
import HTMLText
import StackRendering

/// An image: its debug files, its builds, and the groups that wait for it or have frames in it. It
/// may be unknown.
public struct ImagePage: Sendable {
    public var id: ImageID
    public var files: [DebugFileRow] = []
    public var builds: [Build] = []
    /// The groups of the newest diagnostics that wait for it; if none do, those with app frames in
    /// it.
    public var groups: [GroupRow] = []
    /// The diagnostics that wait for it, or `nil` if none does.
    public var missing: MissingRow?
    /// Whether it is missing and belongs to a system, so that no build of an app has its symbols.
    public var isOfSystem = false
    public var now: UnixTime

    public init(_ id: ImageID, now: UnixTime) {
        self.id = id
        self.now = now
    }

    public func page(in context: PageContext) -> [UInt8] {
        PageShell(context, section: .builds).page(title: "Image \(id)") { html in
            // Dropped files are compared with the image. While diagnostics wait for it, the script
            // updates the page.
            html.element(
                "h1",
                [
                    HTMLAttribute("data-image", missing.map { _ in id.description }),
                    HTMLAttribute("data-live", isSet: missing != nil),
                ]
            ) { html in
                html.text("Image ")
                html.name(missing?.name ?? files.first?.name ?? "without a name")
            }
            html.element("p") { $0.code(id.description) }
            writeState(to: &html)
            if !hasLines { writeCommands(to: &html, context) }
            DebugFileList(title: "Files", files: files, linksToImages: false, now: now)
                .write(to: &html, context)
            writeBuilds(to: &html, context)
            writeGroups(to: &html, context)
        }
    }

    private var hasLines: Bool { missing == nil && !files.isEmpty }

    private func writeState(to html: inout HTMLWriter) {
        html.element("p") { html in
            if let missing {
                html.element("strong", [.class("badge warn")], text: "missing")
                let verb = missing.waiting == 1 ? "waits" : "wait"
                html.text(
                    " \(counted(missing.waiting, "diagnostic")) \(verb) for its symbols, last seen "
                )
                TimeText(time: missing.lastSeen, now: now).write(to: &html)
                html.text(".")
            } else if files.isEmpty {
                html.text(
                    "No file of this image was uploaded, and no diagnostics are waiting for it.")
            } else {
                html.element("strong", [.class("badge good")], text: "has symbols")
                html.text(" No diagnostics are waiting for it.")
            }
        }
    }

    private func writeCommands(to html: inout HTMLWriter, _ context: PageContext) {
        html.element(
            "section", [.class("remedy"), HTMLAttribute("aria-label", "How to add symbols")]
        ) { html in
            guard !isOfSystem else {
                return html.systemAdvice(subject: "This image belongs", context)
            }
            html.element("p", text: Remedies.advice)
            let upload = context.uploadCommand(
                app: missing?.app, version: missing?.version, build: missing?.build)
            html.command("\(id.searchCommand)\n\(upload)", id: "command")
        }
    }

    private func writeBuilds(to html: inout HTMLWriter, _ context: PageContext) {
        guard !builds.isEmpty else { return }
        html.element("h2", text: "Builds")
        html.element("ul") { html in
            for build in builds {
                html.element("li") { html in
                    let target = context.link("builds", build.app, build.version, build.build)
                    html.element("a", [.href(target)]) {
                        $0.name("\(build.app) \(build.version) (\(build.build))")
                    }
                    html.text(" ")
                    let groups = context.link(
                        query: [("app", build.app), ("version", build.version)])
                    html.element("a", [.href(groups)]) { html in
                        html.text("Groups of ")
                        html.name(build.version)
                    }
                }
            }
        }
    }

    private func writeGroups(to html: inout HTMLWriter, _ context: PageContext) {
        guard !groups.isEmpty else { return }
        let title =
            missing == nil ? "Groups with frames in this image" : "Groups waiting for this image"
        html.element("h2", text: title)
        let showsApps = Set(groups.map(\.app)).count > 1
        GroupRow.write(groups, name: title, showsApps: showsApps, to: &html, now: now, context)
    }
}
