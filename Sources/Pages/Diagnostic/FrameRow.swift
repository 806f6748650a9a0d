import CallStacks
import HTMLText
import StackRendering

/// One frame of a stack as a row of a table.
struct FrameRow {
    let options: DiagnosticViewOptions
    let links: SourceLinks?
    let imageLinks: ImageLinks
    /// The start of the identifiers of a thread's frames.
    let idPrefix: String

    func write(_ frame: SymbolicatedFrame, number: Int, to html: inout HTMLWriter) {
        let id = idPrefix + String(number)
        html.element(
            "tr",
            [.id(id), .class(Self.class(of: frame))]
        ) { html in
            html.element("td", [.class("number")]) { html in
                html.element("a", [.href(LinkTarget(fragment: id))], text: String(number))
            }
            html.element("td", [.class("image")]) { writeImage(of: frame, to: &$0) }
            html.element("td", [.class("function")]) { writeFunction(of: frame, to: &$0) }
            html.element("td", [.class("offset")]) { html in
                // A raw frame has its offset in place of a function.
                guard !frame.isInlined, name(of: frame) != nil, let offset = frame.offset
                else { return }
                html.text("+" + hex(offset.rawValue))
            }
        }
    }

    private static func `class`(of frame: SymbolicatedFrame) -> String {
        switch (frame.isInApp, frame.isInlined) {
        case (true, false): "app"
        case (true, true): "app inlined"
        case (false, false): "sys"
        case (false, true): "sys inlined"
        }
    }

    private func writeImage(of frame: SymbolicatedFrame, to html: inout HTMLWriter) {
        let name = frame.imageName ?? "???"
        guard let image = frame.image else { return html.name(name) }
        html.element("a", [.href(imageLinks.link(to: image))]) { $0.name(name) }
    }

    private func writeFunction(of frame: SymbolicatedFrame, to html: inout HTMLWriter) {
        if frame.isInlined {
            html.element("span", [.class("note")], text: "inlined ")
        }
        guard let function = name(of: frame) else { return writeRaw(frame, to: &html) }
        html.name(function, [.class("name"), .title(title(of: frame))])
        writeLocation(of: frame, to: &html)
        let notes = notes(on: frame)
        if !notes.isEmpty {
            html.text(" ")
            html.element("span", [.class("note")], text: notes.joined(separator: ", "))
        }
        html.whole(function, label: "name")
    }

    private func name(of frame: SymbolicatedFrame) -> String? {
        options.names == .mangled
            ? frame.mangled ?? frame.function : frame.function ?? frame.mangled
    }

    private func title(of frame: SymbolicatedFrame) -> String? {
        frame.address.map { hex($0.rawValue) }
    }

    private func writeLocation(of frame: SymbolicatedFrame, to html: inout HTMLWriter) {
        guard let file = frame.file else { return }
        let name = options.paths == .full ? file.path : file.name
        let line = frame.line > 0 ? ":\(frame.line)" : ""
        let column = frame.line > 0 && frame.column > 0 ? ":\(frame.column)" : ""
        html.text(" ")
        guard frame.isInApp, let link = links?.target(path: file.path, line: frame.line) else {
            return html.element("span", [.class("place")]) { html in
                html.name(name)
                html.text(line + column)
            }
        }
        html.element(
            "a", [.class("place"), .href(link), HTMLAttribute("rel", "noreferrer")]
        ) { html in
            html.name(name)
            html.text(line + column)
        }
    }

    private func notes(on frame: SymbolicatedFrame) -> [String] {
        var notes: [String] = []
        if frame.isApproximate { notes.append("nearest line") }
        if frame.isCompilerGenerated { notes.append("compiler-generated") }
        if frame.remarks.contains(.nameGiven) { notes.append("name from the report") }
        if frame.remarks.contains(.nameSuspect) { notes.append("may be the preceding function") }
        if frame.file == nil, let reason = frame.reason { notes.append(reason) }
        return notes
    }

    /// Writes a frame without a function, with the reason.
    private func writeRaw(_ frame: SymbolicatedFrame, to html: inout HTMLWriter) {
        html.element("span", [.class("raw"), .title(title(of: frame))]) { html in
            if let offset = frame.offset {
                html.name(frame.imageName ?? "???")
                html.text(" +" + hex(offset.rawValue))
            } else {
                html.text(title(of: frame) ?? "???")
            }
        }
        guard let reason = frame.reason else { return }
        html.text(" ")
        html.element("span", [.class(frame.isInApp ? "warn" : "note")], text: reason)
    }
}
