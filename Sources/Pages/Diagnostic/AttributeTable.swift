import HTMLText
import StackRendering

/// An attribute of the log record with a diagnostic, of its resource or of its scope.
public struct AttributeRow: Hashable, Sendable {
    /// The part of a record that an attribute belongs to.
    public enum Subject: String, Sendable, CaseIterable { case record, resource, scope }

    public var subject: Subject
    public var key: String
    /// The value as text, or `nil` if it is the report, which the page shows in other forms.
    public var value: String?

    public init(_ subject: Subject, _ key: String, _ value: String?) {
        self.subject = subject
        self.key = key
        self.value = value
    }
}

/// The attributes of a diagnostic: those of its record, of the resource and of the scope.
struct AttributeTable {
    /// The maximum number of attributes that are shown.
    static let rowLimit = 200

    let rows: [AttributeRow]
    /// The page with the report as received.
    let original: LinkTarget

    func write(to html: inout HTMLWriter) {
        guard !rows.isEmpty else { return }
        html.element("details", [.class("part"), .id("attributes")]) { html in
            html.element("summary") { html in
                html.element("b", text: "Attributes")
                html.element("span", [.class("note")], text: " \(grouped(rows.count))")
            }
            html.element("table", [.class("list attributes")]) { writeTable(to: &$0) }
            guard rows.count > Self.rowLimit else { return }
            html.element(
                "p", [.class("note")],
                text: "\(counted(rows.count - Self.rowLimit, "more attribute"))")
        }
    }

    private func writeTable(to html: inout HTMLWriter) {
        html.element("thead") { html in
            html.element("tr") { html in
                for name in ["Attribute", "Value"] {
                    html.element("th", [HTMLAttribute("scope", "col")], text: name)
                }
            }
        }
        let shown = rows.prefix(Self.rowLimit)
        for subject in AttributeRow.Subject.allCases {
            let rows = shown.filter { $0.subject == subject }
            guard !rows.isEmpty else { continue }
            html.element("tbody") { html in
                html.element("tr") { html in
                    html.element(
                        "th", [HTMLAttribute("colspan", "2"), HTMLAttribute("scope", "rowgroup")],
                        text: "Of the \(subject.rawValue)")
                }
                for row in rows { write(row, to: &html) }
            }
        }
    }

    private func write(_ row: AttributeRow, to html: inout HTMLWriter) {
        html.element("tr") { html in
            html.element("td") { html in
                html.code(row.key)
                html.whole(row.key, label: "name")
            }
            html.element("td") { html in
                guard let value = row.value else {
                    html.element("span", [.class("note")], text: "the report, shown above; ")
                    return html.element("a", [.href(original)], text: "as received")
                }
                html.name(value)
                html.whole(value, label: "value")
            }
        }
    }
}
