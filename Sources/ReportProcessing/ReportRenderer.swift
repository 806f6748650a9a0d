public import CallStacks
public import FlameGraphs
import JSONText
public import StackRendering

/// Writes one symbolicated report in an output format.
public struct ReportRenderer: Sendable {
    /// The style of text. Its setting for full paths also applies to Markdown, and its grouping to
    /// Markdown and profiles.
    public var text: StackText

    public init(text: StackText = StackText(grouping: .function)) { self.text = text }

    /// Returns a report in a format. ``OutputFormat/same`` results in JSON.
    ///
    /// - Throws: `RenderingRefusal` if the format cannot represent the report.
    private func report(
        of diagnostic: SymbolicatedDiagnostic, as format: OutputFormat, context: ReportContext
    ) throws(RenderingRefusal) -> RenderedReport {
        switch format {
        case .text: .document(Array(text.report(of: diagnostic, with: context).utf8))
        case .json, .same: .document(json(of: diagnostic))
        case .crash: .document(try crashText(of: diagnostic))
        case .markdown: .document(Array(markdown(of: diagnostic, context: context).utf8))
        case .collapsed:
            .document(try ReportProfile(of: diagnostic, grouping: text.grouping).collapsed)
        case .speedscope:
            .profile(try ReportProfile(of: diagnostic, grouping: text.grouping).speedscope)
        }
    }

    /// Returns a report in a format, or why the format cannot represent it.
    public func output(
        of diagnostic: SymbolicatedDiagnostic, as format: OutputFormat,
        context: ReportContext = ReportContext()
    ) -> ProcessedFile.Output {
        do throws(RenderingRefusal) {
            return .success(try report(of: diagnostic, as: format, context: context))
        } catch { return .failure(error) }
    }

    private func crashText(
        of diagnostic: SymbolicatedDiagnostic
    ) throws(RenderingRefusal) -> [UInt8] {
        do throws(AppleCrashText.Refusal) {
            return Array(try AppleCrashText(of: diagnostic).text.utf8)
        } catch { throw .crashText(error) }
    }

    private func json(of diagnostic: SymbolicatedDiagnostic) -> [UInt8] {
        var writer = JSONWriter()
        StackJSON(hasDetails: true).write(diagnostic, to: &writer)
        return writer.bytes
    }

    private func markdown(
        of diagnostic: SymbolicatedDiagnostic, context: ReportContext
    ) -> String {
        MarkdownReport(usesFullPaths: text.usesFullPaths, grouping: text.grouping)
            .report(of: diagnostic, with: context)
    }
}
