import CallStacks
import StackRendering

/// A linear stack as shown on a page: runs of system frames and repetitions of a recursion are
/// folded.
struct FoldedStack {
    enum Item: Equatable {
        /// A frame with its number in the stack.
        case frame(row: Int, number: Int)
        /// Consecutive system frames.
        case systemFrames(rows: [Int], firstNumber: Int)
        /// The number of repetitions of the preceding frames, including the first.
        case repetition(length: Int, count: Int, lastNumber: Int)
    }

    /// The minimum number of consecutive system frames that are folded.
    static let runLength = 3
    /// The number of frames that are shown of a thread without app frames.
    static let leadingFrames = 5
    /// The number of frames that a run shows; others are on the page with all frames.
    static let foldLimit = 200
    /// The number of items on one page.
    static let itemLimit = 500

    private(set) var items: [Item] = []

    init(_ rows: Range<Int>, of diagnostic: SymbolicatedDiagnostic, foldsSystemFrames: Bool) {
        let frames = diagnostic.frames
        let shown = rows.filter { !frames[$0].remarks.contains(.duplicateInnermost) }
        let hasAppFrames = shown.contains { frames[$0].isInApp }
        var start = shown.startIndex
        while start < shown.endIndex {
            if let recursion = Recursion(in: shown[start...], of: frames) {
                for position in start..<start + recursion.length {
                    items.append(.frame(row: shown[position], number: position))
                }
                start += recursion.length * recursion.count
                items.append(
                    .repetition(
                        length: recursion.length, count: recursion.count, lastNumber: start - 1))
                continue
            }
            let isLeading = !hasAppFrames && start == 0
            // Computed only if it is used, because the whole stack may be a single run.
            let run =
                foldsSystemFrames || isLeading
                ? shown[start...].prefix { !frames[$0].isInApp } : []
            if foldsSystemFrames, run.count >= Self.runLength, !isLeading {
                items.append(.systemFrames(rows: Array(run), firstNumber: start))
                start += run.count
            } else {
                let count = isLeading ? min(max(run.count, 1), Self.leadingFrames) : 1
                for position in start..<start + count {
                    items.append(.frame(row: shown[position], number: position))
                }
                start += count
            }
        }
    }
}
