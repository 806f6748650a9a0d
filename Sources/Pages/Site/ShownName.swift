import HTMLText
import StackRendering

/// The longest name that is shown whole, in characters.
let nameLimit = 300

/// The longest name that is shown whole on request, in characters.
let wholeNameLimit = 4_096

/// Text of unknown origin on one line, without characters that act on the text around them.
func plain(_ text: String) -> String { shown(text, limit: nameLimit) }

extension HTMLWriter {
    /// Writes text of unknown origin, isolated from the direction of the text around it.
    mutating func name(_ text: String, _ attributes: [HTMLAttribute] = []) {
        element("bdi", attributes, text: plain(text))
    }

    /// Writes text of unknown origin in code style.
    mutating func code(_ text: String) {
        element("code") { $0.name(text) }
    }

    /// Writes a command that a person may copy.
    mutating func command(_ text: String, id: String) {
        element("pre", [.class("command"), .id(id)], text: text)
        element(
            "button",
            [.type("button"), .class("copy needs-script"), HTMLAttribute("data-copy", id)],
            text: "Copy")
    }
}
