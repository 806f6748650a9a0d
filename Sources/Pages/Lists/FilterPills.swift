import HTMLText

/// The active filters of a list. Each is a link to the list without it.
struct FilterPills {
    struct Pill {
        let name: String
        let value: String
        /// The list without the filter.
        let without: LinkTarget
    }

    let pills: [Pill]

    init(pills: [Pill]) { self.pills = pills }

    /// A filter by app only.
    ///
    /// - Parameter app: The app, or `nil` without a filter.
    init(app: String?, without: LinkTarget) {
        pills = app.map { [Pill(name: "App", value: $0, without: without)] } ?? []
    }

    /// Writes that a filter matches nothing, and a link that removes it.
    ///
    /// - Parameters:
    ///   - noun: The singular noun for a row, such as `build`.
    ///   - all: The text of the link.
    static func writeNoMatch(
        of noun: String, all: String, at list: LinkTarget, to html: inout HTMLWriter
    ) {
        html.element("p", text: "No \(noun) matches the filter.")
        html.element("p", [.class("pills")]) { html in
            html.element("a", [.href(list)], text: "\(all) ×")
        }
    }

    func write(to html: inout HTMLWriter) {
        guard !pills.isEmpty else { return }
        html.element("p", [.class("pills")]) { html in
            for pill in pills {
                html.element("a", [.href(pill.without)]) { html in
                    html.text("\(pill.name) ")
                    html.name(pill.value)
                    html.text(" ×")
                }
                html.text(" ")
            }
        }
    }
}
