public import CallStacks
import HTMLText
import StackRendering

/// A stored debug file, as lists show it.
public struct DebugFileRow: Hashable, Sendable {
    public var image: ImageID
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
        image: ImageID, name: String, kind: String, architecture: String, quality: String,
        owner: String?, byteCount: Int64, upload: UnixTime, warnings: [String]
    ) {
        self.image = image
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

/// A list of debug files with their sizes and warnings.
struct DebugFileList {
    let title: String
    let files: [DebugFileRow]
    /// Whether each file links to the page of its image.
    var linksToImages = true
    let now: UnixTime

    func write(to html: inout HTMLWriter, _ context: PageContext) {
        guard !files.isEmpty else { return }
        html.element("h2", text: title)
        ListTable(
            name: title,
            columns: ["File", "Kind", "Architecture", "Symbols", "App", "Size", "Uploaded"]
        ).write(to: &html) { html in
            for file in files { write(file, to: &html, context) }
        }
    }

    private func write(_ file: DebugFileRow, to html: inout HTMLWriter, _ context: PageContext) {
        html.element("tr") { html in
            html.element("td") { html in
                if linksToImages {
                    html.element("a", [.href(context.link("images", file.image.description))]) {
                        $0.name(file.name)
                    }
                } else {
                    html.name(file.name)
                }
                html.warnings(file.warnings)
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

extension HTMLWriter {
    /// Writes the warnings about a debug file, each as a paragraph.
    mutating func warnings(_ warnings: [String]) {
        for warning in warnings { element("p", [.class("warn")]) { $0.name(warning) } }
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
