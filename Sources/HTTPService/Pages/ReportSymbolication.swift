import CallStacks
import Hummingbird
import Ingest
import LogExtraction
import MetricKitPayloads
import Problems
import ReportFormats
import ReportProcessing
import StackRendering
import Symbolication

/// Writes functions and lines into reports in their own format.
struct ReportSymbolication {
    let site: PageSite
    let symbolication: DiagnosticSymbolication
    let caller: Caller

    /// Returns a file with functions and lines in place of addresses.
    ///
    /// - Parameter format: The format of its reports.
    func download(
        _ file: ParsedReportFile, of format: CrashFormat, named name: String
    ) async throws -> Response {
        var processor = site.reportProcessor(limits: symbolication.reader.limits)
        processor.format = .same
        let processed = await processor.process(file) { report, _ in await symbolicated(report) }
        switch processed.rewritten ?? .success(file.file.bytes) {
        case .success(let bytes): return .download(bytes, of: format, named: name)
        case .failure(let refusal):
            throw RequestError(.notAcceptable, "cannot_redact", refusal.problem.of("report"))
        }
    }

    /// Returns a report with symbols, not redacted.
    func symbolicated(_ report: CrashReport) async -> SymbolicatedDiagnostic {
        await symbolication.symbolicate(
            imagesOf: report.imageIDs, with: caller.access(preferring: report.app),
            findingCallStarts: true
        ) { report.resolved(architectureOf: $0.architecture, placementOf: $0.placement) }
    }
}
