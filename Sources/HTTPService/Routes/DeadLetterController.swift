import CallStacks
import Foundation
import Hummingbird
import HummingbirdCore
import Ingest
import Problems

/// Lists and resends dead letters: batches that exporters rejected permanently.
struct DeadLetterController {
    let resending: DeadLetterResender

    static let resendPath = "/v1/dead-letters/resend"
    private static let bodyLimit = 1 << 20

    func addReadRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get("/v1/dead-letters", use: list)
    }

    func addResendRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.post(RouterPath(Self.resendPath), use: resend)
    }

    @Sendable private func list(_ request: Request, context: HTTPRequestContext) async throws
        -> Response
    {
        let parameters = request.queryParameters
        let letters = try await resending.letters(
            after: try parameters.number("after") ?? 0, count: try parameters.limit(default: 100))
        return try .json(LetterList(deadLetters: letters.map(LetterJSON.init)))
    }

    /// Resends the dead letters named in a body such as `{"ids": [1, 2]}`, those after one as in
    /// `{"after": 2}`, or all if the body is empty.
    @Sendable private func resend(_ request: Request, _: HTTPRequestContext) async throws
        -> Response
    {
        let body = try await request.bytes(limit: Self.bodyLimit)
        var selection = Selection(ids: nil, after: nil)
        if !body.isEmpty {
            guard let decoded = try? JSONDecoder().decode(Selection.self, from: Data(body)),
                decoded.ids != nil || decoded.after != nil
            else {
                throw RequestError.badRequest(
                    "malformed",
                    Problem(
                        "body", detail: "not of the form {\"ids\": [1]} or {\"after\": 1}",
                        suggestion: "send numbers, or an empty body for all"))
            }
            selection = decoded
        }
        let attempts = try await resending.resend(
            selection.ids.map(Set.init), after: selection.after ?? 0)
        return try .json(
            Results(
                sent: attempts.filter { $0.failure == nil }.map(\.id),
                failed: attempts.compactMap { attempt in
                    attempt.failure.map { Results.Failure(id: attempt.id, reason: $0) }
                }))
    }

    private struct Selection: Decodable {
        let ids: [Int64]?
        let after: Int64?
    }

    private struct Results: Encodable {
        struct Failure: Encodable {
            let id: Int64
            let reason: String
        }

        let sent: [Int64]
        let failed: [Failure]
    }
}

private struct LetterList: Encodable { let deadLetters: [LetterJSON] }

private struct LetterJSON: Encodable {
    let id: Int64
    let exporter: String
    let signal: String
    let refusedAt: String
    let reason: String
    let records: Int
    let bytes: Int

    init(_ letter: DeadLetterSummary) {
        id = letter.id
        exporter = letter.exporter
        signal = "\(letter.signal)"
        refusedAt = letter.refusal.text
        reason = letter.reason
        records = letter.recordCount
        bytes = letter.byteCount
    }
}
