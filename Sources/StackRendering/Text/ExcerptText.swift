/// Source lines below a frame, with their numbers and a mark at the frame's own line.
///
///           20 │ func pick(_ row: Int, in trees: [Tree]) -> Tree {
///         ▶ 21 │     trees[row]
///           22 │ }
struct ExcerptText {
    /// The maximum length of a line in characters; longer ones are truncated.
    static let lengthLimit = 160
    private static let indent = 6

    let style: StackStyle

    func text(of excerpt: SourceExcerpt, marking line: UInt32) -> String {
        let last = UInt64(excerpt.firstLine) + UInt64(excerpt.lines.count)
        let width = max(String(last).utf8.count, 3)
        var text = ""
        for (number, content) in zip(UInt64(excerpt.firstLine)..., excerpt.lines) {
            let isMarked = number == UInt64(line)
            let digits = String(number)
            let row =
                blanks(Self.indent) + (isMarked ? "▶ " : "  ")
                + blanks(width - digits.utf8.count) + digits + " │ "
                + shown(content.replacing("\t", with: "    "), limit: Self.lengthLimit)
            text += style.paint(row, as: isMarked ? .markedSource : .source) + "\n"
        }
        return text
    }
}
