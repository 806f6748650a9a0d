import Hummingbird
import Ingest
import MetricKitPayloads

/// Raw MetricKit payloads: stored first, then turned into records.
struct MetricKitController {
    let reception: Reception
    /// In bytes.
    let bodyLimit: Int
    let room: BodyRoom

    func addRoutes(to routes: RouterGroup<CallerContext>) {
        routes.post("/v1/metrickit", use: accept)
    }

    /// JSON of a shape that is not known is kept as well: a device that was told that it arrived may
    /// delete its copy.
    @Sendable private func accept(
        _ request: Request, _ context: CallerContext
    ) async throws -> Response {
        // Before the body is read, which would be in vain.
        try await reception.checkRoom()
        let ids = try await request.withBytes(upTo: bodyLimit, in: room) { body in
            try await reception.accept(
                payloads: Self.payloads(of: body), from: context.caller.app)
        }
        return try .json(Accepted(accepted: ids.count, ids: ids), status: .accepted)
    }

    private static func payloads(of body: [UInt8]) throws -> [[UInt8]] {
        let upload = PayloadSplitting(body)
        guard !upload.isDamaged else {
            throw RequestError.badRequest(
                "malformed",
                "body: holds no JSON that is whole: send a payload, an array or a line for each")
        }
        guard !upload.isCut else {
            throw RequestError.badRequest(
                "too_many_payloads",
                "body: holds more than \(PayloadLimits().elements) payloads: send fewer at a time")
        }
        return upload.payloads
    }

    private struct Accepted: Encodable {
        let accepted: Int
        let ids: [String]
    }
}
