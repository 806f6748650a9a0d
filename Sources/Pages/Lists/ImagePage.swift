public import CallStacks
import HTMLText
import StackRendering

/// A stored debug file, as the page of its image shows it.
public struct DebugFileRow: Hashable, Sendable {
    public var name: String
    public var kind: String
    public var architecture: String
    public var quality: String
    /// The app that owns it, or `nil` if it belongs to all apps.
    public var owner: String?
    public var byteCount: Int64
    public var upload: UnixTime
    public var warnings: [String]

    public init(
        name: String, kind: String, architecture: String, quality: String, owner: String?,
        byteCount: Int64, upload: UnixTime, warnings: [String]
    ) {
        self.name = name
        self.kind = kind
        self.architecture = architecture
        self.quality = quality
        self.owner = owner
        self.byteCount = byteCount
        self.upload = upload
        self.warnings = warnings
    }
}

/// An image: its debug files, its builds, and the diagnostics that wait for it. It may be unknown.
public struct ImagePage: Sendable {
    public var id: ImageID
    public var files: [DebugFileRow] = []
    public var builds: [Build] = []
    /// What waits for it, or `nil` if nothing does.
    public var missing: MissingRow?
    public var now: UnixTime

    public init(_ id: ImageID, now: UnixTime) {
        self.id = id
        self.now = now
    }

    public func page(in context: PageContext) -> [UInt8] {
        PageShell(context, section: .builds).page(title: "Image \(id)") { html in
            html.element("h1") { html in
                html.text("Image ")
                html.name(missing?.name ?? files.first?.name ?? "without a name")
            }
            html.element("p") { $0.code(id.description) }
            writeState(to: &html)
            if !hasLines { writeCommands(to: &html, context) }
            writeFiles(to: &html)
            writeBuilds(to: &html, context)
        }
    }

    private var hasLines: Bool { missing == nil && !files.isEmpty }

    private func writeState(to html: inout HTMLWriter) {
        html.element("p") { html in
            if let missing {
                html.element("strong", [.class("badge warn")], text: "missing")
                html.text(
                    " \(counted(missing.waiting, "diagnostic")) wait for its symbols, the last from "
                )
                TimeText(time: missing.lastSeen, now: now).write(to: &html)
                html.text(".")
            } else if files.isEmpty {
                html.text("No file of this image was uploaded, and no diagnostic waits for it.")
            } else {
                html.element("strong", [.class("badge good")], text: "has symbols")
                html.text(" No diagnostic waits for it.")
            }
        }
    }

    private func writeCommands(to html: inout HTMLWriter, _ context: PageContext) {
        html.element(
            "section", [.class("remedy"), HTMLAttribute("aria-label", "How to add symbols")]
        ) { html in
            html.element(
                "p", text: "Drop the dSYM or debug file anywhere on this page, or run:")
            let upload = UploadCommand(
                context, app: missing?.app, version: missing?.version, build: missing?.build)
            html.command("\(id.searchCommand)\n\(upload.text)", id: "command")
        }
    }

    private func writeFiles(to html: inout HTMLWriter) {
        guard !files.isEmpty else { return }
        html.element("h2", text: "Files")
        ListTable(
            name: "Files",
            columns: ["File", "Kind", "Architecture", "Symbols", "App", "Size", "Uploaded"]
        ).write(to: &html) { html in
            for file in files {
                html.element("tr") { html in
                    html.element("td") { html in
                        html.name(file.name)
                        for warning in file.warnings {
                            html.element("p", [.class("warn")]) { $0.name(warning) }
                        }
                    }
                    html.cell(file.kind)
                    html.cell(file.architecture)
                    html.cell(file.quality)
                    html.cell(file.owner ?? "all apps")
                    html.element("td", [.class("count")], text: byteText(file.byteCount))
                    html.element("td") { TimeText(time: file.upload, now: now).write(to: &$0) }
                }
            }
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
                }
            }
        }
    }
}

/// The command that uploads the symbols of a build to this service.
struct UploadCommand {
    let text: String

    init(_ context: PageContext, app: String?, version: String?, build: String?) {
        var words = ["symbolist", "upload", "PATH", "--server", shellWord(context.serverURL)]
        // The command takes all of them or none.
        if let app, let version, let build {
            words += [
                "--app", shellWord(app), "--version", shellWord(version), "--build",
                shellWord(build),
            ]
        }
        text = words.joined(separator: " ")
    }
}

/// `1.4 MB`.
func byteText(_ count: Int64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB"]
    var (value, unit) = (Double(count), 0)
    while value >= 1_000, unit < units.count - 1 {
        value /= 1_000
        unit += 1
    }
    guard unit > 0, value < 10 else { return "\(Int(value.rounded())) \(units[unit])" }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
}
