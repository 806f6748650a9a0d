import CallStacks
import HTMLText
import StackRendering

/// The status of a diagnostic, and the facts about it.
struct DiagnosticSummary {
    let diagnostic: SymbolicatedDiagnostic
    /// Facts in addition to those in the report.
    let facts: [(label: String, value: String)]
    /// The fingerprint of the group to link to.
    let group: String?
    let groupApp: String?
    /// The identifier of its trace, with the link to it if there is one.
    let trace: (id: String, target: LinkTarget?)?
    let context: PageContext

    func write(to html: inout HTMLWriter) {
        html.element("p", [.class("summary")]) { html in
            html.element(
                "strong", [.class("badge", diagnostic.status.badge)],
                text: diagnostic.status.rawValue)
            let (total, resolved) = diagnostic.appFrameCounts
            if total > 0 { html.text(" \(resolved) of \(counted(total, "app frame"))") }
        }
        html.element("dl", [.class("facts")]) { html in
            for (label, values) in rows {
                html.element("div") { html in
                    html.element("dt", text: label)
                    for value in values { html.element("dd") { $0.name(value) } }
                }
            }
            writeTrace(to: &html)
            guard let group else { return }
            html.element("div") { html in
                html.element("dt", text: "Group")
                html.element("dd") { html in
                    let target = context.link("g", group, query: [("app", groupApp)])
                    html.element("a", [.href(target)]) { $0.code(group) }
                }
            }
        }
    }

    private func writeTrace(to html: inout HTMLWriter) {
        guard let trace else { return }
        html.element("div") { html in
            html.element("dt", text: "Trace")
            html.element("dd") { html in
                guard let target = trace.target else { return html.code(trace.id) }
                html.element("a", [.href(target), HTMLAttribute("rel", "noreferrer")]) {
                    $0.code(trace.id)
                }
            }
        }
    }

    /// The facts by label. A row without a label continues the previous one.
    private var rows: [(label: String, values: [String])] {
        var rows: [(label: String, values: [String])] = []
        // The badge has the symbols, and every page of a service is redacted alike.
        for (label, value) in ReportHeader.rows(of: diagnostic) + facts
        where !["Symbols", "Redacted"].contains(label) {
            if label.isEmpty, !rows.isEmpty {
                rows[rows.count - 1].values.append(value)
            } else {
                rows.append((label, [value]))
            }
        }
        return rows
    }
}

extension SymbolicatedDiagnostic.Status {
    /// The class of its badge.
    var badge: String {
        switch self {
        case .symbolicated: "good"
        case .partial: "warn"
        case .raw: "bad"
        }
    }
}
