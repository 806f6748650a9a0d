import CallStacks
import HTMLText
import StackRendering

/// One thread of a crash: a heading that opens and closes, and its frames.
struct ThreadSection {
    let diagnostic: SymbolicatedDiagnostic
    let stack: CallStack
    /// The thread's position among the stacks of the diagnostic.
    let position: Int
    let isOpen: Bool
    let imageLinks: ImageLinks
    let options: DiagnosticViewOptions
    let links: SourceLinks?
    /// Returns the link to the page with other options.
    let here: (DiagnosticViewOptions) -> LinkTarget

    func write(to html: inout HTMLWriter) {
        html.element(
            "details",
            [.class("thread"), .id("t\(position)"), HTMLAttribute("open", isSet: isOpen)]
        ) { html in
            html.element("summary") { writeHeading(to: &$0) }
            guard !stack.frames.isEmpty else {
                return html.element("p", [.class("note")], text: "No frames.")
            }
            writeFrames(to: &html)
        }
    }

    private func writeHeading(to html: inout HTMLWriter) {
        html.element("b", text: stack.heading(in: diagnostic.kind))
        if let name = stack.name {
            html.text(" ")
            html.name(name)
        }
        let count = Set(stack.frames.lazy.map { diagnostic.frames[$0].physical }).count
        html.element("span", [.class("note")], text: " \(counted(count, "frame"))")
        guard !isOpen, let top = stack.frames.first else { return }
        let text = topText(of: diagnostic.frames[top])
        guard !text.isEmpty else { return }
        html.element("span", [.class("note")], text: ", at ")
        html.name(text, [.class("note")])
    }

    private func topText(of frame: SymbolicatedFrame) -> String {
        frame.function ?? frame.mangled ?? frame.imageName ?? ""
    }

    private func writeFrames(to html: inout HTMLWriter) {
        let items = FoldedStack(
            stack.frames, of: diagnostic, foldsSystemFrames: options.frames == .folded
        ).items
        let first = options.thread == position ? min(options.firstRow, items.count) : 0
        let shown = items[first...].prefix(FoldedStack.itemLimit)
        let row = FrameRow(
            options: options, links: links, imageLinks: imageLinks, idPrefix: "t\(position)f")
        if first > 0 {
            let earlier = max(first - FoldedStack.itemLimit, 0)
            writeMore("\(counted(first, "row")) before", from: earlier, to: &html)
        }
        html.element("table", [.class("frames")]) { html in
            writeColumns(to: &html)
            html.element("thead", [.class("visually-hidden")]) { writeColumnNames(to: &$0) }
            html.element("tbody") { html in
                for item in shown { write(item, row, to: &html) }
            }
        }
        if shown.endIndex < items.endIndex {
            let rest = items.endIndex - shown.endIndex
            writeMore(counted(rest, "more row"), from: shown.endIndex, to: &html)
        }
    }

    /// Writes a link to other rows of the thread.
    private func writeMore(
        _ text: String, from row: Int, frames: DiagnosticViewOptions.Frames? = nil,
        to html: inout HTMLWriter
    ) {
        var other = options
        (other.thread, other.firstRow) = (position, row)
        if let frames { other.frames = frames }
        html.element("a", [.class("more"), .href(here(other))], text: text)
    }

    /// Writes the columns, whose widths are in the style sheet.
    private func writeColumns(to html: inout HTMLWriter) {
        html.element("colgroup") { html in
            for name in ["number", "image", "function", "offset"] {
                html.void("col", [.class(name)])
            }
        }
    }

    private func writeColumnNames(to html: inout HTMLWriter) {
        html.element("tr") { html in
            for name in ["Frame", "Image", "Function", "Offset"] {
                html.element("th", [HTMLAttribute("scope", "col")], text: name)
            }
        }
    }

    private func write(
        _ item: FoldedStack.Item, _ row: FrameRow, to html: inout HTMLWriter
    ) {
        switch item {
        case .frame(let index, let number):
            row.write(diagnostic.frames[index], number: number, to: &html)
        case .systemFrames(let rows, let firstNumber):
            html.element("tr", [.class("fold")]) { html in
                html.element("td", [HTMLAttribute("colspan", "4")]) { html in
                    writeFold(rows, firstNumber, row, to: &html)
                }
            }
        case .repetition(let length, let count, let lastNumber):
            html.element("tr", [.class("fold")]) { html in
                html.element(
                    "td", [HTMLAttribute("colspan", "4"), .class("note")],
                    text: "× \(grouped(count)), \(counted(length, "frame")) each, "
                        + "through frame \(grouped(lastNumber))")
            }
        }
    }

    private func writeFold(
        _ rows: [Int], _ firstNumber: Int, _ row: FrameRow, to html: inout HTMLWriter
    ) {
        html.element("details") { html in
            html.element("summary") { html in
                html.text("\(rows.count) frames in ")
                html.name(imageNames(of: rows))
            }
            html.element("table", [.class("frames")]) { html in
                writeColumns(to: &html)
                html.element("tbody") { html in
                    for (number, index) in zip(firstNumber..., rows.prefix(FoldedStack.foldLimit)) {
                        row.write(diagnostic.frames[index], number: number, to: &html)
                    }
                }
            }
            let rest = rows.count - FoldedStack.foldLimit
            if rest > 0 {
                writeMore(
                    counted(rest, "more frame"), from: firstNumber + FoldedStack.foldLimit,
                    frames: .all, to: &html)
            }
        }
    }

    /// Returns the names of the images of frames, each once, in order of appearance.
    private func imageNames(of rows: [Int]) -> String {
        var names: [String] = []
        for row in rows {
            let name = diagnostic.frames[row].imageName ?? "???"
            if !names.contains(name) { names.append(name) }
            if names.count > Self.imageNameLimit { break }
        }
        let shown = names.prefix(Self.imageNameLimit).joined(separator: ", ")
        return names.count > Self.imageNameLimit ? shown + ", …" : shown
    }

    private static let imageNameLimit = 4
}
