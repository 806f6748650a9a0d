import CallStacks

/// A sampled stack as an indented tree from the outermost frame, with the samples of each frame and
/// the heaviest branch first.
///
///     49  start + 6076  (in dyld)
///     └╴49  main + 12 (main.swift:3:1)  (in Shop)
///       ├╴30  Cart.checkout() + 44 (Cart.swift:7:10)  (in Shop)
///       │ └╴30  [inlined] Cart.total(of:) (Cart.swift:11:28)  (in Shop)
///       └╴19  0x1a2b00000 + 1266292  (in UIKitCore)
struct TreeText {
    /// The maximum level of indentation. Without it, the text would grow with the square of the
    /// depth. Deeper frames start with the number of their level instead.
    static let indentedLevelsLimit = 128

    let frameText: FrameText

    func write(
        _ diagnostic: SymbolicatedDiagnostic, rows: Range<Int>, to text: inout TextBuilder
    ) {
        let frames = diagnostic.frames
        let children = ChildFrames(frames, of: rows)
        var open = heaviestLast(children.roots, of: frames).map { Position(row: $0, level: 0) }
        // The prefix of each level's frames: the lines of the levels above that continue.
        var rulers = ["", ""]
        while let position = open.popLast() {
            let hasSibling = open.last?.level == position.level
            text.add(
                frameText.style.paint(
                    ruler(rulers, at: position, hasSibling: hasSibling), as: .ruler))
            write(frames[position.row], to: &text)
            text.add("\n")
            if (1..<Self.indentedLevelsLimit).contains(position.level) {
                rulers.removeSubrange((position.level + 1)...)
                rulers.append(rulers[position.level] + (hasSibling ? "│ " : "  "))
            }
            for child in heaviestLast(children(of: position.row), of: frames) {
                open.append(Position(row: child, level: position.level + 1))
            }
        }
    }

    private struct Position {
        var row: Int
        var level: Int
    }

    /// Sorts in ascending order of weight, because the last frame is taken first. Ties keep the
    /// order received.
    private func heaviestLast(
        _ rows: some Collection<Int>, of frames: [SymbolicatedFrame]
    ) -> [Int] {
        rows.sorted {
            let (left, right) = (frames[$0].samples ?? 0, frames[$1].samples ?? 0)
            return left == right ? $0 > $1 : left < right
        }
    }

    private func ruler(_ rulers: [String], at position: Position, hasSibling: Bool) -> String {
        let level = position.level
        guard level > 0 else { return "" }
        guard level <= Self.indentedLevelsLimit else { return "[level \(level)] " }
        return rulers[level] + (hasSibling ? "├╴" : "└╴")
    }

    private func write(_ row: SymbolicatedFrame, to text: inout TextBuilder) {
        if let samples = row.samples { text.add(samples) } else { text.add("?") }
        text.add("  ")
        if row.function == nil, row.mangled == nil, row.offset == nil, let address = row.address {
            // The frame is in no image: only the address is known.
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
