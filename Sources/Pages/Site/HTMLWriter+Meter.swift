import HTMLText

extension HTMLWriter {
    /// Writes a share as a small horizontal bar, next to a text with its value.
    ///
    /// - Parameter style: The class of the picture.
    mutating func meter(_ share: Double, style: String) {
        element(
            "svg",
            [
                .class(style), HTMLAttribute("aria-hidden", "true"),
                HTMLAttribute("width", "96"), HTMLAttribute("height", "12"),
            ]
        ) { html in
            html.shape(
                "rect",
                [
                    HTMLAttribute("width", shareAttribute(share)), HTMLAttribute("height", "100%"),
                ])
        }
    }
}
