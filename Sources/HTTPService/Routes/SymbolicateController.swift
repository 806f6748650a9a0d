import CallStacks
import Hummingbird
import HummingbirdCore
import Ingest
import LogExtraction
import MetricKitPayloads
import Problems
import ReportFormats
import ReportProcessing
import SymbolIntake
import Symbolication

/// Symbolicates crash, hang and backtrace files of every supported format. Nothing is stored.
struct SymbolicateController {
    let symbolication: DiagnosticSymbolication
    /// The maximum size of a body, in bytes.
    let bodyLimit: Int
    let memory: RequestMemoryBudget

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.post("/v1/symbolicate", use: symbolicate)
    }

    @Sendable private func symbolicate(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        let options = try SymbolicateOptions(
            of: request, context, limits: symbolication.reader.limits)
        return try await request.withBytes(limit: bodyLimit, memory: memory) { body in
            let files = try reportFiles(in: body, processor: options.processor)
            guard options.processor.format != .same || files.count == 1
            else { throw RequestError.severalFiles(files.count) }
            var processed: [ProcessedFile] = []
            for file in files {
                processed.append(await process(file, options: options, for: context.caller))
            }
            return try response(processed, as: options.processor.format)
        }
    }

    private func reportFiles(
        in body: [UInt8], processor: ReportProcessor
    ) throws(RequestError) -> [ParsedReportFile] {
        do throws(ReportFinder.Failure) {
            return try ReportFinder.files(
                in: body, name: "body", byteLimit: bodyLimit, processor: processor)
        } catch { throw RequestError(error) }
    }

    private func process(
        _ file: ParsedReportFile, options: SymbolicateOptions, for caller: Caller
    ) async -> ProcessedFile {
        await options.processor.process(file) { report, _ in
            await symbolication.symbolicate(
                imagesOf: report.imageIDs,
                with: caller.access(preferring: options.app ?? report.app),
                findingCallStarts: options.processor.format.showsCallDistances
            ) { report.resolved(architectureOf: $0.architecture, placementOf: $0.placement) }
        }
    }

    private func response(
        _ files: [ProcessedFile], as format: OutputFormat
    ) throws(RequestError) -> Response {
        if let file = files.first, let rewritten = file.rewritten {
            return try response(rewritten, of: file.source.content)
        }
        return try format.response(files.flatMap(\.outputs))
    }
}

extension SymbolicateController {
    private func response(
        _ rewritten: Result<[UInt8], RewritingRefusal>, of file: CrashFile
    ) throws(RequestError) -> Response {
        switch rewritten {
        case .success(let bytes):
            return .rewritten(bytes, isJSON: file.reports.allSatisfy(\.format.isJSON))
        case .failure(let refusal):
            throw RequestError(
                .notAcceptable, "cannot_redact", refusal.problem.of("body"))
        }
    }
}

extension RequestError {
    fileprivate static func severalFiles(_ count: Int) -> Self {
        Self(
            .unprocessableContent, "several_reports",
            Problem(
                "body", detail: "\(count) files of the archive contain reports",
                suggestion: "send one of them, or use format=text or format=json"))
    }

    fileprivate init(_ failure: ReportFinder.Failure) {
        switch failure {
        case .unpacking(let error): self.init(error)
        case .noReport(let reason?):
            self.init(
                .unprocessableContent, "no_diagnostic",
                reason.of(reason.subject ?? "file").suggesting(Self.reportSuggestion))
        case .noReport(nil):
            self.init(
                .unprocessableContent, "no_diagnostic",
                Problem(
                    "body", detail: "contains no crash or hang report",
                    suggestion: Self.reportSuggestion))
        }
    }

    private static let reportSuggestion = "send a crash, hang or backtrace file"

    private init(_ error: UnpackingError) {
        switch error.reason {
        case .unreadable: self = .badRequest("bad_compression", error.problem)
        case .overLimit: self.init(.contentTooLarge, "body_too_large", error.problem)
        case .noMemory: self = .unavailable(error.problem, retryAfter: Self.retrySeconds)
        }
    }
}

extension Response {
    /// Returns the received file with names and lines in place of addresses.
    fileprivate static func rewritten(_ bytes: [UInt8], isJSON: Bool) -> Response {
        if isJSON { return .json(bytes: bytes) }
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
