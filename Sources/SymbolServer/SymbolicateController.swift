import CallStacks
import Hummingbird
import Ingest
import MetricKitPayloads

/// One diagnostic of any kind in, the answer out. Nothing is stored.
struct SymbolicateController {
    let symbolication: DiagnosticSymbolication
    /// In bytes.
    let bodyLimit: Int

    func addRoutes(to routes: RouterGroup<CallerContext>) {
        routes.post("/v1/symbolicate", use: symbolicate)
    }

    @Sendable private func symbolicate(
        _ request: Request, _: CallerContext
    ) async throws -> Response {
        let format = try AnswerFormat(of: request)
        let body = try await request.bytes(upTo: bodyLimit)
        let received = symbolication.reader.read(body).diagnostics
        guard !received.isEmpty else {
            throw RequestError(
                .unprocessableContent, "no_diagnostic",
                "body: holds no crash or hang diagnostic: "
                    + "send a MetricKit payload, OTLP log records or a call stack")
        }
        var answers: [SymbolicatedDiagnostic] = []
        for diagnostic in received {
            answers.append(await symbolication.symbolicate(diagnostic))
        }
        return format.response(answers)
    }
}
