/// Text of unknown origin, escaped for GitHub's Markdown so that it is shown literally.
enum MarkdownText {
    /// Returns a text for a line, a table or a summary.
    ///
    /// GitHub does not turn `@name` and `#1` into links, or `:x:` into a picture, inside `code`; no
    /// escape prevents that elsewhere. Backticks would work too, but in a table they end at a
    /// vertical bar.
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

    private static let lengthLimit = 256
    private static let special = Set("&<>*_`|\\[]~$@#:\"'".unicodeScalars)

    /// Returns lines for a block in which only HTML is interpreted. Functions of the app, marked by
    /// ``StackStyle/markup``, become bold.
    static func html(_ text: some StringProtocol) -> String {
        var html = ""
        // A combining character after `<` makes another `Character` of it, but not another scalar.
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case StackStyle.marks.start: html += "<b>"
            case StackStyle.marks.end: html += "</b>"
            default: html.unicodeScalars.append(scalar)
            }
        }
        return html
    }

    /// Returns a block of fixed-width lines.
    ///
    /// - Parameters:
    ///   - lines: The lines, each followed by a line break.
    ///   - limit: The maximum size in bytes; the number of lines beyond it is shown at the end.
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
