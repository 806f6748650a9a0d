import CallStacks
import CrashFiles
import Decompression
import Hummingbird
import HummingbirdCore
import Ingest
import MetricKitPayloads

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
        _ request: Request, _: CallerContext
    ) async throws -> Response {
        let format = try AnswerFormat(of: request, among: AnswerFormat.allCases)
        return try await request.withBytes(upTo: bodyLimit, in: room) { body in
            let body = try unwrapped(body)
            let file = CrashFileReader(limits: symbolication.reader.limits).read(body)
            guard !file.reports.isEmpty else { throw RequestError.noReport }
            var answers: [SymbolicatedDiagnostic] = []
            for report in file.reports { answers.append(await answer(to: report, format)) }
            guard format == .same else { return try format.response(answers) }
            var budget = EditBudget(fileByteCount: body.count)
            let edits = zip(file.reports, answers).flatMap { $0.edits(with: $1, &budget) }
            return .same(edits.applied(to: body), isJSON: file.reports.allSatisfy(\.format.isJSON))
        }
    }

    private func unwrapped(_ body: [UInt8]) throws(RequestError) -> [UInt8] {
        do throws(CompressionError) {
            return try UnwrappedFile(body, limit: bodyLimit).bytes
        } catch {
            throw RequestError(error)
        }
    }

    private func answer(
        to report: CrashReport, _ format: AnswerFormat
    ) async -> SymbolicatedDiagnostic {
        await symbolication.symbolicate(
            imagesOf: report.imageIDs, findingCallStarts: format.showsCallDistances
        ) { report.resolved(architectureOf: $0) }
    }
}

extension RequestError {
    fileprivate static let noReport = RequestError(
        .unprocessableContent, "no_diagnostic",
        "body: holds no crash or hang report: send \(CrashFormat.allWords)")
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
