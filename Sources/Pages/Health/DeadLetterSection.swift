public import CallStacks
import HTMLText
import StackRendering

/// The dead letters of one exporter that were refused for the same reason.
public struct DeadLetterRow: Hashable, Sendable {
    public var exporter: String
    public var reason: String
    public var letters: Int
    public var records: Int
    public var first: UnixTime
    public var last: UnixTime
    /// The number of the first letter.
    public var firstID: Int64

    public init(
        exporter: String, reason: String, letters: Int, records: Int, first: UnixTime,
        last: UnixTime, firstID: Int64
    ) {
        self.exporter = exporter
        self.reason = reason
        self.letters = letters
        self.records = records
        self.first = first
        self.last = last
        self.firstID = firstID
    }
}

/// The dead letters by exporter and reason. Each row has a form that sends its letters again.
struct DeadLetterSection {
    let letters: [DeadLetterRow]
    let canResend: Bool
    let now: UnixTime

    func write(to html: inout HTMLWriter, _ context: PageContext) {
        ListTable(
            name: "Dead letters",
            columns: ["Exporter", "Reason", "Letters", "Records", "First", "Last", "Send again"]
        ).write(to: &html) { html in
            for row in letters {
                html.element("tr", [.id("letters\(row.firstID)")]) { html in
                    html.cell(row.exporter)
                    html.cell(row.reason)
                    html.element("td", [.class("count")]) { html in
                        let target = context.link("health", "dead-letters", "\(row.firstID)")
                        html.text("\(row.letters) ")
                        html.element("a", [.href(target)]) { html in
                            html.text("Show")
                            html.element("span", [.class("visually-hidden")]) { html in
                                html.text(" the letters of ")
                                html.name(row.exporter)
                            }
                        }
                    }
                    html.count(row.records)
                    html.element("td") { TimeText(time: row.first, now: now).write(to: &$0) }
                    html.element("td") { TimeText(time: row.last, now: now).write(to: &$0) }
                    html.element("td") { html in
                        DeadLetterForm(row: row, canResend: canResend).write(to: &html, context)
                    }
                }
            }
        }
    }
}

/// The form that resends the letters of one exporter that were refused for the same reason.
struct DeadLetterForm {
    let row: DeadLetterRow
    let canResend: Bool

    func write(to html: inout HTMLWriter, _ context: PageContext) {
        guard canResend else {
            return html.element("span", [.class("note")], text: "needs a token with “ingest”")
        }
        html.element(
            "form", [HTMLAttribute("method", "post"), .action(context.link("health", "resend"))]
        ) { html in
            html.void("input", [.type("hidden"), .name("exporter"), .value(row.exporter)])
            html.void("input", [.type("hidden"), .name("reason"), .value(row.reason)])
            html.element("button", text: "Resend \(row.letters)")
        }
    }
}
