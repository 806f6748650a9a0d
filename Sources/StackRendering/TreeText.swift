import CallStacks

/// A sampled stack as an indented tree from the outermost frame, with the samples of each row and
/// the heaviest branch first.
///
///     49  start + 6076  (in dyld)
///     └╴49  main + 12 (main.swift:3:1)  (in Shop)
///       ├╴30  Cart.checkout() + 44 (Cart.swift:7:10)  (in Shop)
///       │ └╴30  [inlined] Cart.total(of:) (Cart.swift:11:28)  (in Shop)
///       └╴19  0x1a2b00000 + 1266292  (in UIKitCore)
struct TreeText {
    /// Levels that are indented. Text would grow with the square of the depth; deeper rows begin
    /// with their level in place of lines.
    static let indentedLevelsLimit = 128

    let frameText: FrameText

    func write(
        _ diagnostic: SymbolicatedDiagnostic, rows: Range<Int>, to text: inout TextBytes
    ) {
        let frames = diagnostic.frames
        let children = ChildRows(frames, of: rows)
        var open = heaviestLast(children.roots, frames).map { Position(row: $0, level: 0) }
        // What stands before the rows of each level: the lines of the levels above that go on.
        var rulers = ["", ""]
        while let position = open.popLast() {
            let hasSibling = open.last?.level == position.level
            text.add(frameText.style.paint(ruler(rulers, position, hasSibling), as: .ruler))
            write(frames[position.row], to: &text)
            text.add("\n")
            if (1..<Self.indentedLevelsLimit).contains(position.level) {
                rulers.removeSubrange((position.level + 1)...)
                rulers.append(rulers[position.level] + (hasSibling ? "│ " : "  "))
            }
            for child in heaviestLast(children(of: position.row), frames) {
                open.append(Position(row: child, level: position.level + 1))
            }
        }
    }

    private struct Position {
        var row: Int
        var level: Int
    }

    /// Ascending, because the last one is taken first; of equal ones the first received comes first.
    private func heaviestLast(
        _ rows: some Collection<Int>, _ frames: [SymbolicatedFrame]
    ) -> [Int] {
        rows.sorted {
            let (left, right) = (frames[$0].samples ?? 0, frames[$1].samples ?? 0)
            return left == right ? $0 > $1 : left < right
        }
    }

    private func ruler(_ rulers: [String], _ position: Position, _ hasSibling: Bool) -> String {
        let level = position.level
        guard level > 0 else { return "" }
        guard level <= Self.indentedLevelsLimit else { return "[level \(level)] " }
        return rulers[level] + (hasSibling ? "├╴" : "└╴")
    }

    private func write(_ row: SymbolicatedFrame, to text: inout TextBytes) {
        if let samples = row.samples { text.add(samples) } else { text.add("?") }
        text.add("  ")
        if row.function == nil, row.mangled == nil, row.offset == nil, let address = row.address {
            // No image holds it: the address is all that is known.
            text.add(hex: address.rawValue)
            text.add("  ")
        }
        frameText.write(row, to: &text)
        text.add("  ")
        frameText.style.write(as: row.isInApp ? nil : .system, to: &text) { text in
            text.add("(in ")
            text.add(shown(row.imageName ?? "???"))
            text.add(")")
        }
    }
}
