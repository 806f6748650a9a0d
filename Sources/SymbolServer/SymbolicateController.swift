import CallStacks
import Hummingbird
import Ingest
import JSONText
import MetricKitPayloads
import StackRendering

/// One diagnostic of any kind in, the answer out. Nothing is stored.
struct SymbolicateController {
    let symbolication: DiagnosticSymbolication
    /// In bytes.
    let bodyLimit: Int

    func addRoutes(to routes: RouterGroup<ServiceContext>) {
        routes.post("/v1/symbolicate", use: symbolicate)
    }

    @Sendable private func symbolicate(
        _ request: Request, _: ServiceContext
    ) async throws -> Response {
        let format = try AnswerFormat(of: request)
        let body = try await request.bytes(upTo: bodyLimit)
        let received = symbolication.reader.read(body).diagnostics
        guard !received.isEmpty else {
            throw ServiceError(
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

/// How symbolicated diagnostics are written into a response.
enum AnswerFormat: String, CaseIterable {
    case text, json

    /// By `format` of the query; JSON where it says nothing.
    init(of request: Request) throws {
        guard let name = request.uri.queryParameters.get("format") else {
            self = .json
            return
        }
        guard let format = Self(rawValue: name) else {
            let known = Self.allCases.map(\.rawValue).joined(separator: " or ")
            throw ServiceError.badRequest(
                "unknown_format", "format: '\(name)' is not known: ask for \(known)")
        }
        self = format
    }

    /// One diagnostic as it is, several as an array or one text after another.
    func response(_ answers: [SymbolicatedDiagnostic]) -> Response {
        switch self {
        case .text:
            return .text(answers.map(StackText().report(of:)).joined(separator: "\n"))
        case .json:
            var writer = JSONWriter()
            if answers.count != 1 { writer.beginArray() }
            for answer in answers { StackJSON().write(answer, to: &writer) }
            if answers.count != 1 { writer.endArray() }
            return .json(bytes: writer.bytes)
        }
    }
}
