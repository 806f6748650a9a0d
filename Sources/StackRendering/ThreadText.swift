import CallStacks

/// How wide the columns of linear stacks are, the same for all threads of a diagnostic.
struct ThreadColumns {
    /// Names shorter than this leave blanks, so that most reports look alike.
    private static let nameWidthMinimum = 12
    /// Longer names move the rest of their own line only.
    private static let nameWidthLimit = 30

    let nameWidth: Int
    /// Whether any frame has an address; flat trees lost them all, and their column is left out.
    let hasAddresses: Bool

    init(of diagnostic: SymbolicatedDiagnostic) {
        var longest = Self.nameWidthMinimum
        var hasAddresses = false
        for row in diagnostic.frames {
            if longest < Self.nameWidthLimit { longest = max(longest, row.imageName?.count ?? 0) }
            if row.address != nil { hasAddresses = true }
        }
        nameWidth = min(longest, Self.nameWidthLimit)
        self.hasAddresses = hasAddresses
    }
}

/// A linear stack, a line for each row.
struct ThreadText {
    private static let numberWidth = 4
    private static let addressDigits = 16

    let columns: ThreadColumns
    let frameText: FrameText
    var excerpts: [Int: SourceExcerpt] = [:]

    /// - Parameter isOnePath: Whether the rows are one stack though their links do not say so. Else
    ///   a row without a parent starts another path of the thread, and numbers start again.
    func write(
        _ diagnostic: SymbolicatedDiagnostic, rows: some Sequence<Int>, isOnePath: Bool = false,
        to text: inout String
    ) {
        var number = 0
        for index in rows {
            let row = diagnostic.frames[index]
            if row.remarks.contains(.duplicateInnermost) { continue }
            if row.parent == nil, number > 0, !isOnePath {
                number = 0
                text += "\n"
            }
            write(row, number: number, to: &text)
            text += "\n"
            if let excerpt = excerpts[index] {
                text += ExcerptText(style: frameText.style).text(of: excerpt, marking: row.line)
            }
            number += 1
        }
    }

    private func write(_ row: SymbolicatedFrame, number: Int, to text: inout String) {
        let columns = columns(of: row, number: number)
        text += row.isInApp ? columns : frameText.style.paint(columns, as: .system)
        text += frameText.text(of: row)
    }

    private func columns(of row: SymbolicatedFrame, number: Int) -> String {
        var text = padded(String(number), to: Self.numberWidth - 1)
        text += " "
        text += padded(shown(row.imageName ?? "???"), to: columns.nameWidth)
        text += "  "
        guard columns.hasAddresses else { return text }
        let width = Self.addressDigits + 2
        text += row.address.map { hex($0.rawValue, width: Self.addressDigits) } ?? blanks(width)
        return text + "  "
    }
}
