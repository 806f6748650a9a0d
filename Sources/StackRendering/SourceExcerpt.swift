public import CallStacks

/// A few lines of a source file around the one that a frame names.
public struct SourceExcerpt: Hashable, Sendable {
    /// The number of the first of ``lines``, counted from 1.
    public var firstLine: UInt32
    /// Without their ends.
    public var lines: [String]

    public init(firstLine: UInt32, lines: [String]) {
        self.firstLine = firstLine
        self.lines = lines
    }
}

extension SymbolicatedDiagnostic {
    /// How many rows of a diagnostic have their source shown.
    public static let excerptLimit = 24

    /// The rows whose source helps to understand what happened, in the order in which they are shown:
    /// the app's, with a line, of the stacks that the diagnostic is about; of sampled ones the culprit
    /// alone, because source between their branches would hide the tree.
    public var rowsWorthSource: [Int] {
        guard form == .threads else { return culpritRow.map { [$0] } ?? [] }
        let rows = shownStacks.lazy.filter(\.isShownFirst).flatMap(\.frames).filter { row in
            let frame = self.frames[row]
            return frame.isInApp && frame.file != nil && frame.line > 0
                && !frame.remarks.contains(.duplicateInnermost)
        }
        return Array(rows.prefix(Self.excerptLimit))
    }

    /// The stacks in the order in which people want them: where an exception was thrown, what the
    /// diagnostic is about, what libraries recorded, and the rest.
    var shownStacks: [SymbolicatedStack] {
        (0...3).flatMap { rank in stacks.filter { $0.shownRank == rank } }
    }
}

extension SymbolicatedStack {
    /// Whether the diagnostic is about it.
    var isShownFirst: Bool { shownRank < 3 }

    fileprivate var shownRank: Int {
        switch role {
        case .lastException: 0
        case .applicationBacktrace: 2
        case .thread: isAttributed ? 1 : 3
        }
    }
}
