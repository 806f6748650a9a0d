import CallStacks
import Hummingbird
import Ingest
import LogExtraction
import MetricKitPayloads
import Problems

/// Accepts raw MetricKit payloads, which are stored first and then converted to records.
struct MetricKitController {
    let gateway: IngestGateway
    /// The maximum size of a body, in bytes.
    let bodyLimit: Int
    let memory: RequestMemoryBudget

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.post("/v1/metrickit", use: accept)
    }

    /// Stores payloads, even text of an unknown shape: a device cannot react to an error, and may
    /// delete its only copy.
    @Sendable private func accept(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        let zone = try Self.zone(request)
        // Checked first, so that a body that cannot be stored is not read.
        try await gateway.checkRoom()
        let (ids, isTruncated) = try await request.withBytes(limit: bodyLimit, memory: memory) {
            body in
            let batch = PayloadBatch(DecodedFile.inUTF8(body))
            try Self.checkContent(of: batch)
            let ids = try await gateway.accept(
                payloads: batch.parts, zone: zone, from: context.caller.app)
            return (ids, batch.isTruncated)
        }
        return try .json(
            Accepted(
                accepted: ids.count, ids: ids,
                remarks: isTruncated ? [Remark.sizeLimit.rawValue] : nil),
            status: .accepted)
    }

    /// Returns the zone of dates without one, or `nil` if the request names none.
    private static func zone(_ request: Request) throws -> PayloadZone? {
        guard let text = request.queryParameters.text("zone") else { return nil }
        // An unescaped plus sign in a query stands for a space.
        let offset = text.hasPrefix(" ") ? "+" + text.dropFirst() : text
        guard let zone = PayloadZone(offset) else {
            throw RequestError.badRequest(
                "bad_zone",
                Problem(
                    "zone", detail: "'\(offset.prefix(40))' is not an offset from UTC",
                    suggestion: "use one such as +0800"))
        }
        return zone
    }

    private static func checkContent(of batch: PayloadBatch) throws {
        guard !batch.isEmpty else {
            throw RequestError.badRequest(
                "malformed",
                Problem(
                    "body", detail: "is empty",
                    suggestion: "send a payload, an array or JSON lines"))
        }
    }

    private struct Accepted: Encodable {
        let accepted: Int
        let ids: [String]
        /// `size_limit` if the last identifier is that of all payloads after the limit.
        let remarks: [String]?
    }
}
