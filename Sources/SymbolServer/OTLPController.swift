import GRPCCore
import HTTPTypes
import Hummingbird
import Ingest
import NIOCore
import OTLP

/// OTLP over HTTP: requests are acknowledged when they are in the journal.
struct OTLPController {
    let reception: Reception
    /// In bytes.
    let bodyLimit: Int
    let room: BodyRoom

    static let paths: Set<String> = ["/v1/logs", "/v1/traces", "/v1/metrics"]

    func addRoutes(to routes: RouterGroup<CallerContext>) {
        routes.post("/v1/logs") { request, context in
            try await accept(
                request, from: context.caller.app, .logs, ExportLogsServiceRequest.self,
                ExportLogsServiceResponse())
        }
        routes.post("/v1/traces") { request, context in
            try await accept(
                request, from: context.caller.app, .traces, ExportTraceServiceRequest.self,
                ExportTraceServiceResponse())
        }
        routes.post("/v1/metrics") { request, context in
            try await accept(
                request, from: context.caller.app, .metrics, ExportMetricsServiceRequest.self,
                ExportMetricsServiceResponse())
        }
    }

    /// Bodies of protobuf are kept byte by byte, those of JSON as the protobuf that says the same.
    private func accept<Message: OTLPMessage>(
        _ request: Request, from app: String?, _ signal: Signal, _: Message.Type,
        _ response: some OTLPMessage
    ) async throws -> Response {
        let type = try request.otlpType
        // Before the body is read, which would be in vain.
        try await reception.checkRoom()
        try await request.withBytes(upTo: bodyLimit, in: room) { body in
            let kept = try Self.checked(body, as: Message.self, type.encoding)
            if !kept.isEmpty { try await reception.accept(signal, kept, from: app) }
        }
        return try .otlp(response, type, status: .ok)
    }

    /// What is kept of a request that can be read.
    private static func checked<Message: OTLPMessage>(
        _ body: [UInt8], as _: Message.Type, _ encoding: OTLPEncoding
    ) throws -> [UInt8] {
        do throws(OTLPError) {
            let message = try Message(decoding: body, as: encoding)
            return encoding == .protobuf ? body : try message.encoded(as: .protobuf)
        } catch {
            throw RequestError(
                error.reason == .count ? .contentTooLarge : .badRequest, "malformed",
                error.description)
        }
    }

    /// An error as OTLP wants it: a `Status`, in the encoding of the request; in JSON where that is
    /// none of OTLP's, because then a person may be reading.
    static func response(of error: RequestError, to request: Request) -> Response {
        let type = (try? request.otlpType) ?? OTLPMediaType(.json)
        let status = OTLPStatus(RPCError.Code(error.status), error.description)
        let response = try? Response.otlp(status, type, status: error.status)
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
                    "Content-Type: '\(header)' is not OTLP: "
                        + "send application/x-protobuf or application/json")
            }
            return type
        }
    }
}

extension Response {
    fileprivate static func otlp(
        _ message: some OTLPMessage, _ type: OTLPMediaType, status: HTTPResponse.Status
    ) throws -> Response {
        Response(
            status: status, headers: [.contentType: type.name],
            body: ResponseBody(
                byteBuffer: ByteBuffer(bytes: try message.encoded(as: type.encoding))))
    }
}

extension RPCError.Code {
    /// The code of gRPC that means what an HTTP status means.
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
