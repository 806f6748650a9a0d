import CallStacks

/// The stacks that a report is about, and the others.
struct MarkdownStacks {
    struct Stack {
        /// The heading as HTML.
        let heading: String
        /// The frames as text with the marks of ``StackStyle/markup``.
        let rows: String

        init(_ heading: String, of stack: CallStack? = nil, rows: String) {
            self.heading = heading + (stack?.name.map { ": " + MarkdownText.code($0) } ?? "")
            self.rows = rows
        }

        /// - Parameter limit: The maximum size of the frames in bytes.
        func block(limit: Int) -> String { MarkdownText.block(rows, limit: limit) }

        func text(limit: Int) -> String { "### \(heading)\n\n" + block(limit: limit) }
    }

    let open: [Stack]
    let folded: [Stack]

    init(
        _ diagnostic: SymbolicatedDiagnostic, context: ReportContext, usesFullPaths: Bool
    ) {
        let frameText = FrameText(style: .markup, usesFullPaths: usesFullPaths)
        var columns = ThreadColumns(of: diagnostic)
        // Addresses are useless to readers of an issue.
        columns.numbers = .none
        var writer = ThreadText(columns: columns, frameText: frameText)
        let all = diagnostic.shownStacks
        switch diagnostic.form {
        case .threads:
            writer.excerpts = context.excerpts
            let stacks = all.map { stack in
                var text = TextBuilder()
                writer.write(diagnostic, rows: stack.frames, to: &text)
                return Stack(stack.heading(in: diagnostic.kind), of: stack, rows: text.text)
            }
            let count = max(all.prefix(while: \.isShownFirst).count, 1)
            (open, folded) = (Array(stacks.prefix(count)), Array(stacks.dropFirst(count)))
        case .sampled:
            open = [Self.heaviestPath(diagnostic, by: writer)].compactMap(\.self)
            folded = all.map { stack in
                var text = TextBuilder()
                TreeText(frameText: frameText).write(diagnostic, rows: stack.frames, to: &text)
                return Stack(
                    "All samples of thread \(stack.index)", of: stack, rows: text.text)
            }
        }
    }

    /// Returns the path with the most samples, as a linear stack.
    private static func heaviestPath(
        _ diagnostic: SymbolicatedDiagnostic, by writer: ThreadText
    ) -> Stack? {
        let rows = diagnostic.representativeFrames
        guard let innermost = rows.first, let outermost = rows.last else { return nil }
        var text = TextBuilder()
        writer.write(diagnostic, rows: rows, isOnePath: true, to: &text)
        let samples = [innermost, outermost].compactMap { diagnostic.frames[$0].samples }
        let share = samples.count == 2 ? ", \(samples[0]) of \(counted(samples[1], "sample"))" : ""
        return Stack("Heaviest path\(share)", rows: text.text)
    }
}
