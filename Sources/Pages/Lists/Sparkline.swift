import HTMLText

/// Daily counts as a small bar chart, with a description for screen readers.
struct Sparkline {
    let counts: [Int]

    private static let height = 16
    private static let barWidth = 3

    func write(to html: inout HTMLWriter) {
        let largest = max(counts.max() ?? 0, 1)
        html.element(
            "svg",
            [
                .class("sparkline"), HTMLAttribute("role", "img"),
                HTMLAttribute("width", counts.count * (Self.barWidth + 1)),
                HTMLAttribute("height", Self.height), HTMLAttribute("aria-label", label),
            ]
        ) { html in
            for (day, count) in counts.enumerated() where count > 0 {
                let height = max(count * Self.height / largest, 1)
                html.shape(
                    "rect",
                    [
                        HTMLAttribute("x", day * (Self.barWidth + 1)),
                        HTMLAttribute("y", Self.height - height),
                        HTMLAttribute("width", Self.barWidth),
                        HTMLAttribute("height", height),
                    ])
            }
        }
    }

    /// `42 in 30 days, most on one day: 12`
    private var label: String {
        let sum = counts.reduce(0, +)
        return "\(sum) in \(counts.count) days, most on one day: \(counts.max() ?? 0)"
    }
}
