import CallStacks
import CrashFiles
import JSONText
import StackRendering
import SymbolStores

/// Writes one answered report in a form that is not the report's own.
struct ReportWriter: Sendable {
    let format: SymbolicateCommand.Format
    let text: StackText
    let sources: SourceFolders
    let otherBuilds: OtherBuilds
    /// Whether whoever runs this reads the answers, and may copy commands from them. Otherwise they
    /// are the same whatever the input is called.
    let namesInput: Bool

    /// - Throws: Where a report has no form as it is wanted.
    func bytes(
        of report: SymbolicatedDiagnostic, in input: InputFile
    ) throws(CrashForm.Refusal) -> [UInt8] {
        switch format {
        case .json:
            var writer = JSONWriter()
            StackJSON(hasDetails: true).write(report, to: &writer)
            return writer.bytes
        case .crash: return Array(try CrashForm(of: report).text.utf8)
        case .markdown:
            let markdown = MarkdownReport(usesFullPaths: text.usesFullPaths)
            return Array(markdown.report(of: report, with: context(of: report, input)).utf8)
        case .text, .same:
            return Array(text.report(of: report, with: context(of: report, input)).utf8)
        }
    }

    private func context(of report: SymbolicatedDiagnostic, _ input: InputFile) -> ReportContext {
        ReportContext(
            excerpts: sources.excerpts(for: report),
            input: namesInput ? input.container ?? input.path : nil,
            otherBuilds: otherBuilds.insteadOf(report.wantedImages.app))
    }
}
