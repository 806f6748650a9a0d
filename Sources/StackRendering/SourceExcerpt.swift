public import CallStacks

/// A few lines of a source file around the line of a frame.
public struct SourceExcerpt: Hashable, Sendable {
    /// The number of the first line, counted from 1.
    public var firstLine: UInt32
    /// The lines without their line breaks.
    public var lines: [String]

    public init(firstLine: UInt32, lines: [String]) {
        self.firstLine = firstLine
        self.lines = lines
    }
}

extension SymbolicatedDiagnostic {
    /// The maximum number of frames shown with source.
    public static let excerptLimit = 24

    /// The frames to show with source, in display order: the app's frames with a line, in the
    /// stacks that the diagnostic is about. Sampled stacks show source only for the culprit,
    /// because it would hide the tree if it were between the branches.
    public var framesForExcerpts: [Int] {
        guard form == .threads else { return culpritIndex.map { [$0] } ?? [] }
        let rows = shownStacks.lazy.filter(\.isShownFirst).flatMap(\.frames).filter { row in
            let frame = self.frames[row]
            return frame.isInApp && frame.file != nil && frame.line > 0
                && !frame.remarks.contains(.duplicateInnermost)
        }
        return Array(rows.prefix(Self.excerptLimit))
    }

    /// The stacks in display order: the place where an exception was thrown, the threads that the
    /// diagnostic is about, the stacks recorded by libraries, and the rest.
    package var shownStacks: [CallStack] {
        var shown: [CallStack] = []
        shown.reserveCapacity(stacks.count)
        for rank in 0...3 {
            for stack in stacks where stack.shownRank == rank { shown.append(stack) }
        }
        return shown
    }
}

extension CallStack {
    /// Whether the diagnostic is about the stack.
    package var isShownFirst: Bool { shownRank < 3 }

    fileprivate var shownRank: Int {
        switch role {
        case .lastException: 0
        case .applicationBacktrace: 2
        case .thread: isAttributed ? 1 : 3
        case .allocation: 3
        }
    }
}
