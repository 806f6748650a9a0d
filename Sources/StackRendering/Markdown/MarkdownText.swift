/// Text of unknown origin in Markdown as GitHub reads it, shown to the letter.
enum MarkdownText {
    /// A text in a line, in a table or in a summary.
    ///
    /// Everything in `code` is left alone by what makes links of `@name` and `#1`, and pictures of
    /// `:x:`, which no escape prevents. A span of backticks would do that too, but ends at a bar in a
    /// table.
    static func code(_ text: String) -> String {
        var code = "<code>"
        for scalar in shown(text, limit: lengthLimit).unicodeScalars {
            if special.contains(scalar) {
                code += "&#\(scalar.value);"
            } else {
                code.unicodeScalars.append(scalar)
            }
        }
        return code + "</code>"
    }

    /// In characters.
    private static let lengthLimit = 256
    private static let special = Set("&<>*_`|\\[]~$@#:\"'".unicodeScalars)

    /// Lines of a block in which nothing but HTML is read; functions of the app, as
    /// ``StackStyle/markup`` marks them, are bold.
    static func html(_ text: some StringProtocol) -> String {
        var html = ""
        for character in text {
            switch character {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case StackStyle.marks.start: html += "<b>"
            case StackStyle.marks.end: html += "</b>"
            default: html.append(character)
            }
        }
        return html
    }

    /// A block with lines of fixed width.
    ///
    /// - Parameters:
    ///   - lines: Each with a line break behind it.
    ///   - limit: How many bytes of lines it takes; what is left out is counted in its last line.
    static func block(_ lines: String, limit: Int) -> String {
        var block = "<pre>\n"
        var left = limit
        let all = lines.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        for (number, line) in all.enumerated() {
            let html = html(line) + "\n"
            left -= html.utf8.count
            if left < 0 {
                block += "… \(counted(all.count - number, "more line"))\n"
                break
            }
            block += html
        }
        return block + "</pre>\n"
    }
}
