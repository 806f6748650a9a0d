import GRPCCore
import HTTPTypes
import Hummingbird
import Ingest
import NIOCore
import OTLP
import Problems

/// OTLP over HTTP. A request is acknowledged once it is in the journal.
struct OTLPController {
    let gateway: IngestGateway
    /// The maximum size of a body, in bytes.
    let bodyLimit: Int
    let memory: RequestMemoryBudget

    static let paths: Set<String> = ["/v1/logs", "/v1/traces", "/v1/metrics"]

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.post("/v1/logs") { request, context in
            try await accept(
                request, from: context.caller.app, signal: .logs, ExportLogsServiceRequest.self,
                response: ExportLogsServiceResponse())
        }
        routes.post("/v1/traces") { request, context in
            try await accept(
                request, from: context.caller.app, signal: .traces, ExportTraceServiceRequest.self,
                response: ExportTraceServiceResponse())
        }
        routes.post("/v1/metrics") { request, context in
            try await accept(
                request, from: context.caller.app, signal: .metrics,
                ExportMetricsServiceRequest.self,
                response: ExportMetricsServiceResponse())
        }
    }

    /// Stores protobuf bodies unchanged, and JSON bodies as the equivalent protobuf.
    private func accept<Message: OTLPMessage>(
        _ request: Request, from app: String?, signal: Signal, _: Message.Type,
        response: some OTLPMessage
    ) async throws -> Response {
        let type = try request.otlpType
        // Checked first, so that a body that cannot be stored is not read.
        try await gateway.checkRoom()
        try await request.withBytes(limit: bodyLimit, memory: memory) { body in
            let message = try Self.protobuf(body, as: Message.self, encoding: type.encoding)
            if !message.isEmpty { try await gateway.accept(signal, message, from: app) }
        }
        return try .otlp(response, type: type, status: .ok)
    }

    /// Returns the protobuf to store.
    ///
    /// - Throws: A ``RequestError`` if the body is not a valid message.
    private static func protobuf<Message: OTLPMessage>(
        _ body: [UInt8], as _: Message.Type, encoding: OTLPEncoding
    ) throws -> [UInt8] {
        do throws(OTLPError) {
            if encoding == .json {
                return try Message(decoding: body, as: .json).encoded(as: .protobuf)
            }
            try Message.check(protobuf: body)
            return body
        } catch {
            throw RequestError(
                error.reason == .count ? .contentTooLarge : .badRequest, "malformed",
                error.problem)
        }
    }

    /// Returns an error response as OTLP defines it: a `Status` in the encoding of the request, or
    /// in JSON if that is not an OTLP encoding, because a person may be reading.
    static func response(of error: RequestError, to request: Request) -> Response {
        let type = (try? request.otlpType) ?? OTLPMediaType(.json)
        let status = OTLPStatus(RPCError.Code(error.status), error.description)
        let response = try? Response.otlp(status, type: type, status: error.status)
        return response ?? Response(status: error.status)
    }
}

extension Request {
    fileprivate var otlpType: OTLPMediaType {
        get throws {
            let header = headers[.contentType] ?? ""
            guard let type = OTLPMediaType(header: header) else {
                throw RequestError(
                    .unsupportedMediaType, "unknown_type",
                    Problem(
                        "Content-Type", detail: "'\(header)' is not an OTLP encoding",
                        suggestion: "use application/x-protobuf or application/json"))
            }
            return type
        }
    }
}

extension Response {
    fileprivate static func otlp(
        _ message: some OTLPMessage, type: OTLPMediaType, status: HTTPResponse.Status
    ) throws -> Response {
        Response(
            status: status, headers: [.contentType: type.name],
            body: ResponseBody(
                byteBuffer: ByteBuffer(bytes: try message.encoded(as: type.encoding))))
    }
}

extension RPCError.Code {
    /// The gRPC code that corresponds to an HTTP status.
    init(_ status: HTTPResponse.Status) {
        self =
            switch status {
            case .unauthorized: .unauthenticated
            case .forbidden: .permissionDenied
            case .notFound: .notFound
            case .contentTooLarge: .resourceExhausted
            case .requestTimeout: .deadlineExceeded
            case .methodNotAllowed: .unimplemented
            case .serviceUnavailable: .unavailable
            default: status.code >= 500 ? .internalError : .invalidArgument
            }
    }
}
