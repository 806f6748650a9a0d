import CallStacks
import LogExtraction
import MetricKitPayloads
import ReportFormats
import StackRendering
import Symbolication

extension FuzzTarget {
    func readCrashFile(_ input: [UInt8]) throws {
        let file = CrashFileReader().read(input)
        for part in file.unread {
            try promise("an unread part lies in the file", part.range.upperBound <= input.count)
        }
        let symbolicator = Symbolicator(provider: NoSymbols())
        var edits: [Edit] = []
        var budget = EditBudget(fileByteCount: input.count)
        for report in file.reports {
            try promise("a report lies in the file", report.range.upperBound <= input.count)
            let nothing = symbolicator.symbolicate(report.resolved(), with: FetchedSymbols([:]))
            try promise(
                "nothing is written of nothing",
                report.edits(with: nothing, budget: &budget).isEmpty)
            edits += try self.edits(of: report, symbolicator, budget: &budget)
        }
        for edit in edits {
            try promise("a change lies in the file", edit.range.upperBound <= input.count)
        }
        let written = edits.applied(to: input)
        try promise("what is written is a file", written.isEmpty == input.isEmpty)
    }

    private func edits(
        of report: CrashReport, _ symbolicator: Symbolicator, budget: inout EditBudget
    ) throws -> [Edit] {
        let symbols = ExampleSymbols.supply(for: report.imageIDs)
        let diagnostic = report.resolved(architectureOf: symbols.architecture(of:))
        let answer = symbolicator.symbolicate(diagnostic, with: symbols)
        try promise(
            "stacks hold frames",
            diagnostic.tree.stacks.allSatisfy {
                $0.frames.upperBound <= diagnostic.tree.frames.count
            })
        _ = StackText().report(of: answer)
        _ = StackJSON().text(of: answer)
        _ = try? AppleCrashText(of: answer)
        try promise(
            "Markdown is bounded",
            MarkdownReport().report(of: answer).utf8.count <= MarkdownReport.lengthLimit)
        return report.edits(with: answer, budget: &budget)
    }
}
