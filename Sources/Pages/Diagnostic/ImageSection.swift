import CallStacks
import HTMLText
import StackRendering

/// The images of a diagnostic's frames, with the status of their symbols.
struct ImageSection {
    let images: [ImageStatus]
    let context: PageContext

    func write(to html: inout HTMLWriter) {
        html.element("details", [.class("part"), .id("images")]) { html in
            html.element("summary") { html in
                html.element("b", text: "Images")
                html.element("span", [.class("note")], text: " \(images.count)")
            }
            html.element(
                "div",
                [
                    .class("scroll"), HTMLAttribute("tabindex", "0"),
                    HTMLAttribute("role", "region"), HTMLAttribute("aria-label", "Images"),
                ]
            ) { html in
                html.element("table", [.class("list")]) { writeTable(to: &$0) }
            }
        }
    }

    private func writeTable(to html: inout HTMLWriter) {
        html.element("thead") { html in
            html.element("tr") { html in
                for name in ["Image", "UUID", "Architecture", "Frames", "Symbols"] {
                    html.element("th", [HTMLAttribute("scope", "col")], text: name)
                }
            }
        }
        html.element("tbody") { html in
            for image in images { write(image, to: &html) }
        }
    }

    private func write(_ image: ImageStatus, to html: inout HTMLWriter) {
        html.element("tr") { html in
            html.element("td") { $0.name(image.name ?? "???") }
            html.element("td") { html in
                guard let id = image.image else { return }
                html.element(
                    "a", [.href(context.link("images", id.description))]
                ) { $0.code(id.description) }
            }
            html.element("td") { $0.name(image.architecture ?? "") }
            html.element("td", [.class("count")], text: "\(image.frameCount)")
            html.element("td", text: image.status.problem)
        }
    }
}
