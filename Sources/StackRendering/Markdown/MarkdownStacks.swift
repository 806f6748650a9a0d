import CallStacks

/// The stacks of a report: those that it is about, and the others.
struct MarkdownStacks {
    struct Stack {
        /// As HTML.
        let heading: String
        /// Rows as text with the marks of ``StackStyle/markup``.
        let rows: String

        init(_ heading: String, of stack: SymbolicatedStack? = nil, rows: String) {
            self.heading = heading + (stack?.name.map { ": " + MarkdownText.code($0) } ?? "")
            self.rows = rows
        }

        /// - Parameter limit: How many bytes the rows take.
        func block(limit: Int) -> String { MarkdownText.block(rows, limit: limit) }

        func text(limit: Int) -> String { "### \(heading)\n\n" + block(limit: limit) }
    }

    let open: [Stack]
    let folded: [Stack]

    init(
        _ diagnostic: SymbolicatedDiagnostic, _ context: ReportContext, usesFullPaths: Bool
    ) {
        let frameText = FrameText(style: .markup, usesFullPaths: usesFullPaths)
        var columns = ThreadColumns(of: diagnostic)
        // An issue is read by people, who know nothing of addresses.
        columns.numbers = .none
        var writer = ThreadText(columns: columns, frameText: frameText)
        let all = diagnostic.shownStacks
        switch diagnostic.form {
        case .threads:
            writer.excerpts = context.excerpts
            let stacks = all.map { stack in
                var text = TextBytes()
                writer.write(diagnostic, rows: stack.frames, to: &text)
                return Stack(stack.heading(in: diagnostic.kind), of: stack, rows: text.text)
            }
            let count = max(all.prefix(while: \.isShownFirst).count, 1)
            (open, folded) = (Array(stacks.prefix(count)), Array(stacks.dropFirst(count)))
        case .sampled:
            open = [Self.heaviestPath(diagnostic, writer)].compactMap(\.self)
            folded = all.map { stack in
                var text = TextBytes()
                TreeText(frameText: frameText).write(diagnostic, rows: stack.frames, to: &text)
                return Stack(
                    "All samples of thread \(stack.index)", of: stack, rows: text.text)
            }
        }
    }

    /// The path that most samples took, as a linear stack.
    private static func heaviestPath(
        _ diagnostic: SymbolicatedDiagnostic, _ writer: ThreadText
    ) -> Stack? {
        let rows = diagnostic.representativeRows
        guard let innermost = rows.first, let outermost = rows.last else { return nil }
        var text = TextBytes()
        writer.write(diagnostic, rows: rows, isOnePath: true, to: &text)
        let samples = [innermost, outermost].compactMap { diagnostic.frames[$0].samples }
        let share = samples.count == 2 ? ", \(samples[0]) of \(counted(samples[1], "sample"))" : ""
        return Stack("Heaviest path\(share)", rows: text.text)
    }
}
