public import CallStacks
public import LogExtraction
import Redaction
public import ReportFormats
public import StackRendering

/// Turns a file into symbolicated reports: reads and redacts it, symbolicates each report, and
/// writes the results in an output format.
///
/// Callers supply the file and the symbols, so the processor needs neither files nor network.
public struct ReportProcessor: Sendable {
    public var reader: CrashFileReader
    public var format: OutputFormat
    public var renderer = ReportRenderer()
    public var redaction = RedactionLevel.none
    /// Optional details for rewritten files. Applies to ``OutputFormat/same``.
    public var writing: RewritingOptions = []
    /// Whether inlined calls are shown as separate frames.
    public var showsInlinedCalls = true

    public init(reader: CrashFileReader, format: OutputFormat) {
        self.reader = reader
        self.format = format
    }

    /// Reads and redacts a file, so that no output contains private values.
    public func read(_ received: DecodedFile) -> ParsedReportFile {
        let content = reader.read(received)
        let redacted = FileRedaction(redaction).redacted(received.bytes, readAs: content)
        if redacted == received.bytes {
            return ParsedReportFile(
                received: received, file: received, content: content,
                imagePaths: content.imagePaths)
        }
        // Ranges must refer to the redacted text, so the file is read again.
        let file = received.replacingBytes(with: redacted)
        let shown = reader.read(file)
        let isSame = shown.reports.map(\.images.count) == content.reports.map(\.images.count)
        return ParsedReportFile(
            received: received, file: file, content: shown,
            imagePaths: isSame ? content.imagePaths : shown.imagePaths)
    }

    /// Symbolicates a file's reports and writes them in the output format.
    ///
    /// - Parameters:
    ///   - symbolicate: Symbolicates one report, given the paths of its images.
    ///   - context: Returns facts to show beside a symbolicated report.
    ///   - observe: Receives each report with its redacted result, in the order of the file.
    public func process(
        _ source: ParsedReportFile,
        symbolicate: (CrashReport, [String?]) async -> SymbolicatedDiagnostic,
        context: (SymbolicatedDiagnostic) -> ReportContext = { _ in ReportContext() },
        observe: (CrashReport, SymbolicatedDiagnostic) -> Void = { _, _ in }
    ) async -> ProcessedFile {
        var processed = ProcessedFile(of: source)
        var rewriter = FileRewriter(source.file, options: writing)
        for (report, paths) in zip(source.content.reports, source.imagePaths) {
            let diagnostic = presented(await symbolicate(report, paths), of: report)
            observe(report, diagnostic)
            guard format == .same else {
                processed.outputs.append(
                    renderer.output(of: diagnostic, as: format, context: context(diagnostic)))
                continue
            }
            rewriter.add(report, diagnostic)
            for repetition in report.repetitions {
                // The repeated stack refers to the same files as the report.
                let paths = report.format.namesFiles ? paths : repetition.images.map(\.path)
                rewriter.add(
                    repetition, presented(await symbolicate(repetition, paths), of: repetition))
            }
        }
        if format == .same { processed.rewritten = rewritten(source, rewriter: rewriter) }
        return processed
    }

    private func rewritten(
        _ source: ParsedReportFile, rewriter: FileRewriter
    ) -> Result<[UInt8], RewritingRefusal> {
        let isBinary = source.content.reports.contains(where: \.format.isBinary)
        if isBinary, redaction != .none { return .failure(.binaryWithRedaction) }
        return .success(rewriter.bytes(insteadOf: source.received))
    }

    private func presented(
        _ diagnostic: SymbolicatedDiagnostic, of report: CrashReport
    ) -> SymbolicatedDiagnostic {
        let shown = showsInlinedCalls ? diagnostic : diagnostic.withoutInlinedCalls()
        // The bytes of a binary report are not redacted, so its own values are still private.
        return report.format.isBinary
            ? shown.redactedWithDetails(redaction) : shown.redacted(redaction)
    }
}

/// Collects edits that write symbolicated reports into their file.
private struct FileRewriter {
    private let file: DecodedFile
    private let options: RewritingOptions
    private var edits: [Edit] = []
    private var budget: EditBudget

    init(_ file: DecodedFile, options: RewritingOptions) {
        self.file = file
        self.options = options
        budget = EditBudget(fileByteCount: file.bytes.count)
    }

    mutating func add(_ report: CrashReport, _ diagnostic: SymbolicatedDiagnostic) {
        edits += report.edits(with: diagnostic, options: options, budget: &budget)
    }

    /// Returns the edited file. A file without changes is returned as received, even if compressed.
    func bytes(insteadOf received: DecodedFile) -> [UInt8] {
        if edits.isEmpty, file.bytes == received.bytes { return received.received }
        return file.encoded(edits.applied(to: file.bytes))
    }
}
