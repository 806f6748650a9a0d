public import CallStacks
import HTMLText
import StackRendering

/// A diagnostic, as lists show it.
public struct DiagnosticRow: Sendable {
    public var uid: String
    public var status: SymbolicatedDiagnostic.Status
    public var app: String?
    public var version: String?
    public var build: String?
    public var time: UnixTime
    /// The numbers of frames: those with a function, and all.
    public var frames: (resolved: Int, total: Int)

    public init(
        uid: String, status: SymbolicatedDiagnostic.Status, app: String?,
        version: String?, build: String?, time: UnixTime, frames: (resolved: Int, total: Int)
    ) {
        self.uid = uid
        self.status = status
        self.app = app
        self.version = version
        self.build = build
        self.time = time
        self.frames = frames
    }

    func write(to html: inout HTMLWriter, now: UnixTime, _ context: PageContext) {
        html.element("tr") { html in
            html.element("td") { html in
                html.element("a", [.href(context.link("d", uid))]) {
                    TimeText(time: time, now: now).write(to: &$0)
                }
            }
            html.cell(app ?? "")
            html.cell([version, build.map { "(\($0))" }].compactMap(\.self).joined(separator: " "))
            html.element("td") { html in
                html.element("strong", [.class("badge", status.badge)], text: status.rawValue)
            }
            html.element("td", [.class("count")], text: "\(frames.resolved) of \(frames.total)")
        }
    }
}
