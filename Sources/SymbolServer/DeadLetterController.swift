import CallStacks
import Foundation
import Hummingbird
import HummingbirdCore
import Ingest

/// What exporters refused for good: to be looked at, and to be sent again.
struct DeadLetterController {
    let resending: DeadLetterResending

    static let resendPath = "/v1/dead-letters/resend"
    private static let bodyLimit = 1 << 20

    func addReadingRoutes(to routes: RouterGroup<CallerContext>) {
        routes.get("/v1/dead-letters", use: list)
    }

    func addSendingRoutes(to routes: RouterGroup<CallerContext>) {
        routes.post(RouterPath(Self.resendPath), use: resend)
    }

    @Sendable private func list(_ request: Request, _ context: CallerContext) async throws
        -> Response
    {
        let parameters = request.uri.queryParameters
        let after = parameters.text("after").flatMap(Int64.init) ?? 0
        let letters = try await resending.letters(
            after: after, count: try parameters.limit(or: 100))
        return try .json(LetterList(deadLetters: letters.map(LetterJSON.init)))
    }

    /// `{"ids": [1, 2]}` sends these; an empty body sends all.
    @Sendable private func resend(_ request: Request, _: CallerContext) async throws -> Response {
        let body = try await request.bytes(upTo: Self.bodyLimit)
        var ids: Set<Int64>?
        if !body.isEmpty {
            guard let question = try? JSONDecoder().decode(Question.self, from: Data(body)) else {
                throw RequestError.badRequest(
                    "malformed", "body: is not {\"ids\": [1]}: send numbers, or nothing for all")
            }
            ids = Set(question.ids)
        }
        let attempts = try await resending.resend(ids)
        return try .json(
            Answer(
                sent: attempts.filter { $0.failure == nil }.map(\.id),
                failed: attempts.compactMap { attempt in
                    attempt.failure.map { Answer.Failure(id: attempt.id, reason: $0) }
                }))
    }

    private struct Question: Decodable { let ids: [Int64] }

    private struct Answer: Encodable {
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

    init(_ letter: DeadLetter) {
        id = letter.id
        exporter = letter.exporter
        signal = "\(letter.signal)"
        refusedAt = letter.refusal.text
        reason = letter.reason
        records = letter.recordCount
        bytes = letter.body.count
    }
}
