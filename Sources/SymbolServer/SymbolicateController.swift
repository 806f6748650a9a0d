import CallStacks
import Hummingbird
import Ingest
import MetricKitPayloads

/// One diagnostic of any kind in, the answer out. Nothing is stored.
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
        let format = try AnswerFormat(of: request)
        return format.response(
            try await request.withBytes(upTo: bodyLimit, in: room) { try await answers(to: $0) })
    }

    private func answers(to body: [UInt8]) async throws -> [SymbolicatedDiagnostic] {
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
        return answers
    }
}
