import HTMLText
import StackRendering

/// Daily counts as a bar chart over the whole width, with a description for screen readers.
struct DayChart {
    /// The counts, oldest first. The last one is today's.
    let counts: [Int]

    private static let height = 64

    func write(to html: inout HTMLWriter) {
        guard !counts.isEmpty else { return }
        let largest = max(counts.max() ?? 0, 1)
        html.element("figure", [.class("days")]) { html in
            html.element(
                "svg",
                [
                    .class("sparkline"), HTMLAttribute("role", "img"),
                    HTMLAttribute("width", "100%"), HTMLAttribute("height", Self.height),
                    HTMLAttribute("aria-label", label),
                ]
            ) { html in
                for (day, count) in counts.enumerated() where count > 0 {
                    writeBar(day, max(count * Self.height / largest, 1), to: &html)
                }
            }
            html.element("figcaption", [.class("note")]) { html in
                html.element("span", text: "\(counts.count) days ago")
                html.element("span", text: label)
                html.element("span", text: "today")
            }
        }
    }

    private func writeBar(_ day: Int, _ height: Int, to html: inout HTMLWriter) {
        html.shape(
            "rect",
            [
                HTMLAttribute("x", share(Double(day))), HTMLAttribute("width", share(0.8)),
                HTMLAttribute("y", Self.height - height),
                HTMLAttribute("height", height),
            ])
    }

    /// Returns a number of days as a share of the width.
    private func share(_ days: Double) -> String { shareAttribute(days / Double(counts.count)) }

    /// `42 in the last 90 days, at most 12 on a day`
    private var label: String {
        let sum = counts.reduce(0, +)
        return "\(grouped(sum)) in the last \(counts.count) days, "
            + "at most \(grouped(counts.max() ?? 0)) on a day"
    }
}

/// Returns a share of the width as the attribute of a shape: `62.345%`
func shareAttribute(_ share: Double) -> String {
    let thousandths = Int((min(max(share, 0), 1) * 100_000).rounded())
    let fraction = "\(thousandths % 1_000)"
    let zeros = String(repeating: "0", count: 3 - fraction.utf8.count)
    return "\(thousandths / 1_000).\(zeros)\(fraction)%"
}
