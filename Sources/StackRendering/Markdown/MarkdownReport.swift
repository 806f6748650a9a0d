public import CallStacks
public import FlameGraphs

/// A report for an issue or a comment, in GitHub's Markdown: the event, its stack with the app's
/// functions in bold, the images with their status, and the other threads folded.
///
/// No content of a report is interpreted as Markdown, HTML, a mention or a link.
public struct MarkdownReport: Hashable, Sendable {
    /// The maximum size in bytes. Comments on GitHub have at most 65,536 characters.
    public static let lengthLimit = 60_000
    /// The maximum size in bytes of one stack that the report is about.
    static let stackLimit = 24_000
    /// The bytes reserved for a heading, and for the text after the folded stacks.
    private static let reserve = 2_000

    /// Whether to show files with their folders.
    public var usesFullPaths: Bool
    /// The calls of sampled stacks that are merged.
    public var grouping: FlameGraphBuilder.Grouping

    public init(usesFullPaths: Bool = false, grouping: FlameGraphBuilder.Grouping = .address) {
        self.usesFullPaths = usesFullPaths
        self.grouping = grouping
    }

    /// Returns the heading above one of several reports.
    public static func title(_ text: String) -> String { "# \(MarkdownText.code(text))\n" }

    public func report(
        of diagnostic: SymbolicatedDiagnostic, with context: ReportContext = ReportContext()
    ) -> String {
        let stacks = MarkdownStacks(
            diagnostic.mergingCalls(by: grouping), context: context, usesFullPaths: usesFullPaths)
        var parts = [
            "## " + MarkdownText.code(diagnostic.title) + "\n", table(of: diagnostic),
        ]
        var left = Self.lengthLimit - Self.reserve
        let end = [MarkdownImages(of: diagnostic, context: context).text, remarks(of: diagnostic)]
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

    private func table(of diagnostic: SymbolicatedDiagnostic) -> String {
        let rows = ReportHeader.rows(of: diagnostic).map { label, value in
            "| \(label) | \(MarkdownText.code(value)) |\n"
        }
        return rows.isEmpty ? "" : "| | |\n|---|---|\n" + rows.joined()
    }

    private func remarks(of diagnostic: SymbolicatedDiagnostic) -> String {
        diagnostic.allRemarks.map { "- \($0.words) (`\($0.rawValue)`)\n" }.joined()
    }

    /// Returns the other stacks that fit, each folded separately.
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
