import Hummingbird
import Ingest
import MetricKitPayloads
import Problems

/// Accepts raw MetricKit payloads, which are stored first and then converted to records.
struct MetricKitController {
    let gateway: IngestGateway
    /// The largest body, in bytes.
    let bodyLimit: Int
    let memory: RequestMemoryBudget

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.post("/v1/metrickit", use: accept)
    }

    /// Stores payloads, including JSON of an unknown shape, because a device may delete its copy
    /// after the acknowledgement.
    @Sendable private func accept(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        // Checked first, so that a body that would be refused is not read.
        try await gateway.checkRoom()
        let ids = try await request.withBytes(limit: bodyLimit, memory: memory) { body in
            try await gateway.accept(
                payloads: Self.payloads(of: body), from: context.caller.app)
        }
        return try .json(Accepted(accepted: ids.count, ids: ids), status: .accepted)
    }

    private static func payloads(of body: [UInt8]) throws -> [[UInt8]] {
        let upload = PayloadBatch(body)
        guard !upload.isDamaged else {
            throw RequestError.badRequest(
                "malformed",
                Problem(
                    "body", detail: "contains no complete JSON",
                    suggestion: "send a payload, an array or JSON lines"))
        }
        guard !upload.isTruncated else {
            throw RequestError.badRequest(
                "too_many_payloads",
                Problem(
                    "body", detail: "more than \(PayloadLimits().elements) payloads",
                    suggestion: "send fewer at a time"))
        }
        return upload.payloads
    }

    private struct Accepted: Encodable {
        let accepted: Int
        let ids: [String]
    }
}
