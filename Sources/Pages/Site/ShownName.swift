import HTMLText
import StackRendering

/// The maximum length of a name that is shown in full, in characters.
let nameLimit = 300

/// The maximum length of a name that is shown in full on request, in characters.
let wholeNameLimit = 4_096

/// Returns text of unknown origin as one line, without characters that affect the text around them.
func plain(_ text: String) -> String { shown(text, limit: nameLimit) }

extension HTMLWriter {
    /// Writes text of unknown origin, isolated from the direction of the text around it.
    mutating func name(_ text: String, _ attributes: [HTMLAttribute]) {
        element("bdi", attributes, text: plain(text))
    }

    /// Writes text of unknown origin, isolated from the direction of the text around it. Only
    /// long words are broken between letters.
    mutating func name(_ text: String) {
        name(text, text.hasLongWord ? [.class("long")] : [])
    }

    /// Writes the complete text in a collapsible element, unless ``name(_:_:)`` already shows all
    /// of it.
    ///
    /// - Parameter label: A noun for the text, after “Whole”.
    mutating func whole(_ text: String, label: String) {
        guard text.utf8.count > nameLimit, text.count > nameLimit else { return }
        element("details", [.class("whole")]) { html in
            html.element("summary", text: "Whole \(label)")
            html.element("bdi", text: shown(text, limit: wholeNameLimit))
        }
    }

    /// Writes text of unknown origin in code style.
    mutating func code(_ text: String) {
        element("code") { $0.name(text) }
    }

    /// Writes a command with a button that copies it.
    mutating func command(_ text: String, id: String) {
        element("pre", [.class("command"), .id(id)], text: text)
        copyButton(of: id)
    }

    /// Writes a button that copies the text of an element.
    ///
    /// - Parameter label: The name of the button, for one that is not next to its element.
    mutating func copyButton(of id: String, label: String? = nil) {
        element(
            "button",
            [
                .type("button"), .class("copy needs-script"), HTMLAttribute("data-copy", id),
                HTMLAttribute("aria-label", label),
            ], text: "Copy")
    }
}

extension String {
    /// The maximum length of a word that is never broken, in bytes: that of a build identifier.
    private static let wordLimit = 64

    fileprivate var hasLongWord: Bool {
        guard utf8.count > Self.wordLimit else { return false }
        return utf8.split(separator: UInt8(ascii: " ")).contains { $0.count > Self.wordLimit }
    }
}
