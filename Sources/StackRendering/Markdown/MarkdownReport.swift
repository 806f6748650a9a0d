public import CallStacks

/// A report to be pasted into an issue or a comment, in Markdown as GitHub reads it: what happened,
/// the stack that it is about with the app's functions bold, the images with what became of them, and
/// the other threads folded.
///
/// Nothing in a report is read as Markdown, HTML, a mention or a link.
public struct MarkdownReport: Hashable, Sendable {
    /// In bytes. Comments on GitHub have at most 65,536 characters.
    public static let lengthLimit = 60_000
    /// How much of it one stack that a report is about takes, in bytes.
    static let stackLimit = 24_000
    /// Room for a heading, and for what stands behind the folded stacks.
    private static let reserve = 2_000

    /// Whether files are shown with their folders.
    public var usesFullPaths: Bool

    public init(usesFullPaths: Bool = false) { self.usesFullPaths = usesFullPaths }

    /// What stands above one of several reports.
    public static func title(_ text: String) -> String { "# \(MarkdownText.code(text))\n" }

    public func report(
        of diagnostic: SymbolicatedDiagnostic, with context: ReportContext = ReportContext()
    ) -> String {
        let stacks = MarkdownStacks(diagnostic, context, usesFullPaths: usesFullPaths)
        var parts = [
            "## " + MarkdownText.code(diagnostic.title) + "\n", table(of: diagnostic),
        ]
        var left = Self.lengthLimit - Self.reserve
        let end = [MarkdownImages(of: diagnostic, context).text, remarks(of: diagnostic)]
        for part in parts + end { left -= part.utf8.count + 1 }
        var others = stacks.open[...]
        while left > Self.reserve, let stack = others.popFirst() {
            let text = stack.text(limit: min(left / 2, Self.stackLimit))
            left -= text.utf8.count + 1
            parts.append(text)
        }
        others += stacks.folded
        parts += end + [folded(others, limit: left)]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// App, system, exception and what else is known.
    private func table(of diagnostic: SymbolicatedDiagnostic) -> String {
        let rows = ReportHeader.rows(of: diagnostic).map { label, value in
            "| \(label) | \(MarkdownText.code(value)) |\n"
        }
        return rows.isEmpty ? "" : "| | |\n|---|---|\n" + rows.joined()
    }

    private func remarks(of diagnostic: SymbolicatedDiagnostic) -> String {
        diagnostic.noticed.map { "- \($0.words) (`\($0.rawValue)`)\n" }.joined()
    }

    /// The other stacks as far as there is room, each by itself.
    private func folded(_ stacks: some Collection<MarkdownStacks.Stack>, limit: Int) -> String {
        var text = ""
        for (number, stack) in stacks.enumerated() {
            let next =
                "<details><summary>\(stack.heading)</summary>\n\n" + stack.block(limit: .max)
                + "\n</details>\n"
            guard text.utf8.count + next.utf8.count <= limit else {
                let left = counted(stacks.count - number, "more stack")
                return text + "\n\(left) left out: `symbolist symbolicate REPORT` shows all.\n"
            }
            text += next
        }
        return text
    }
}
