import HTMLText
import StackRendering

/// A table that scrolls horizontally if it is wider than the window.
struct ListTable {
    let name: String
    /// The heads of the columns.
    let columns: [String]

    func write(to html: inout HTMLWriter, rows: (inout HTMLWriter) -> Void) {
        html.element(
            "div",
            [
                .class("scroll"), HTMLAttribute("tabindex", "0"), HTMLAttribute("role", "region"),
                HTMLAttribute("aria-label", name),
            ]
        ) { html in
            html.element("table", [.class("list")]) { html in
                html.element("thead") { html in
                    html.element("tr") { html in
                        for column in columns {
                            html.element("th", [HTMLAttribute("scope", "col")], text: column)
                        }
                    }
                }
                html.element("tbody", content: rows)
            }
        }
    }
}

extension HTMLWriter {
    /// Writes a cell with a number.
    mutating func count(_ number: some BinaryInteger) {
        element("td", [.class("count")], text: "\(number)")
    }

    /// Writes a cell with text of unknown origin.
    mutating func cell(_ text: String) { element("td") { $0.name(text) } }

    /// Writes a cell with the name of an app, which links to the list of that app only.
    ///
    /// - Parameters:
    ///   - isFiltered: Whether this is that list.
    ///   - link: Returns the link to the list of an app.
    mutating func appCell(_ app: String?, isFiltered: Bool, link: (String) -> LinkTarget) {
        guard let app, !isFiltered else { return cell(app ?? "") }
        element("td") { html in
            html.element("a", [.href(link(app))]) { $0.name(app) }
        }
    }

    /// Writes a form's menu of values. The empty value means all. A chosen value that is not in the
    /// list is added, so that submitting the form keeps it. The form sends ``menuValue(_:)``.
    mutating func choice(
        _ label: String, name: String, of values: [String], chosen: String?, all: String = "all",
        title: (String) -> String = plain
    ) {
        element("label") { html in
            html.text("\(label) ")
            html.element("select", [.name(name)]) { html in
                let other = chosen.flatMap { values.contains($0) ? nil : [$0] } ?? []
                for value in values + other {
                    html.element(
                        "option",
                        [
                            .value(menuValue(value)),
                            HTMLAttribute("selected", isSet: value == (chosen ?? "")),
                        ], text: value.isEmpty ? all : title(value))
                }
            }
        }
    }
}

/// Returns the value that a menu sends for a name: the name without characters that HTML does not
/// allow. Several names may have the same one.
public func menuValue(_ name: String) -> String { shown(name, limit: .max) }
