import CallStacks
import CrashFiles
import Hummingbird
import HummingbirdCore
import Ingest
import MetricKitPayloads
import SymbolIntake

/// One crash, hang or backtrace file of any kind in, the answer out. Nothing is stored.
struct SymbolicateController {
    let symbolication: DiagnosticSymbolication
    /// In bytes.
    let bodyLimit: Int
    let room: BodyRoom

    func addRoutes(to routes: RouterGroup<CallerContext>) {
        routes.post("/v1/symbolicate", use: symbolicate)
    }

    @Sendable private func symbolicate(
        _ request: Request, _ context: CallerContext
    ) async throws -> Response {
        let app = try context.caller.app(asked: request.uri.queryParameters.text("app"))
        let format = try AnswerFormat(of: request, among: AnswerFormat.allCases)
        return try await request.withBytes(upTo: bodyLimit, in: room) { body in
            let files = try ReportFile.all(
                in: body, byteLimit: bodyLimit, CrashFileReader(limits: symbolication.reader.limits)
            )
            guard format != .same || files.count == 1
            else { throw RequestError.severalFiles(files.count) }
            let answers = await answers(to: files, format) { report in
                context.caller.access(preferring: app ?? report.app)
            }
            if format == .same, let file = files.first { return same(file, answers) }
            return try format.response(answers)
        }
    }

    private func same(_ file: ReportFile, _ answers: [SymbolicatedDiagnostic]) -> Response {
        var budget = EditBudget(fileByteCount: file.unwrapped.bytes.count)
        let edits = zip(file.content.reports, answers).flatMap { $0.edits(with: $1, &budget) }
        return .same(
            file.unwrapped.encoded(edits.applied(to: file.unwrapped.bytes)),
            isJSON: file.content.reports.allSatisfy(\.format.isJSON))
    }

    private func answers(
        to files: [ReportFile], _ format: AnswerFormat,
        with access: (CrashReport) -> SymbolAccess
    ) async -> [SymbolicatedDiagnostic] {
        var answers: [SymbolicatedDiagnostic] = []
        for report in files.flatMap(\.content.reports) {
            answers.append(await answer(to: report, format, with: access(report)))
        }
        return answers
    }

    private func answer(
        to report: CrashReport, _ format: AnswerFormat, with access: SymbolAccess
    ) async -> SymbolicatedDiagnostic {
        await symbolication.symbolicate(
            imagesOf: report.imageIDs, with: access, findingCallStarts: format.showsCallDistances
        ) { report.resolved(architectureOf: $0) }
    }
}

extension RequestError {
    fileprivate static func severalFiles(_ count: Int) -> Self {
        Self(
            .unprocessableContent, "several_reports",
            "body: \(count) files of the archive hold reports: send one of them, or ask for text or"
                + " json")
    }
}

extension Response {
    /// What was sent, with names and lines where it had addresses.
    fileprivate static func same(_ bytes: [UInt8], isJSON: Bool) -> Response {
        if isJSON { return .json(bytes: bytes) }
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
