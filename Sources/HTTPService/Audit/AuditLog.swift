import Logging
import NIOCore
import Synchronization

/// Logs who changed something, and whose requests were refused and why.
///
/// Lines contain the names of tokens, never the tokens. The number of lines per minute is bounded,
/// however many requests there are.
final class AuditLog: Sendable {
    /// The sender of a change or of a refused request.
    struct Actor {
        /// The name of the token, or a placeholder if there is none.
        var name: String
        /// The address of the client.
        var address: String
    }

    private static let window = Duration.seconds(10)
    private static let lineLimit = 20
    /// The maximum length of text taken from a request, in characters.
    private static let textLimit = 300

    private let logger: Logger
    private let start = ContinuousClock.now
    private let limiters = Mutex(
        (
            changes: LogRateLimiter(lines: lineLimit, per: window),
            refusals: LogRateLimiter(lines: lineLimit, per: window)
        ))

    init(logger: Logger) { self.logger = logger }

    /// Logs a completed change.
    func log(change: String, by actor: Actor) {
        let subject = "\(actor.name) at \(actor.address)"
        guard limiters.withLock({ $0.changes.admits(subject, at: now) }) else { return }
        logger.info(
            "audit: accepted", metadata: metadata(actor).merging(["what": text(change)]) { $1 })
    }

    /// Logs a refused request.
    func log(refusal: String, of request: String, from actor: Actor) {
        let subject = "\(actor.name) at \(actor.address)"
        guard limiters.withLock({ $0.refusals.admits(subject, at: now) }) else { return }
        let more: Logger.Metadata = ["what": text(request), "why": text(refusal)]
        logger.notice("audit: refused", metadata: metadata(actor).merging(more) { $1 })
    }

    /// Runs `body`, and writes a summary after each window while it runs.
    func withSummaries(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.run() }
            defer { group.cancelAll() }
            try await body()
        }
    }

    private func run() async {
        while !Task.isCancelled {
            do { try await Task.sleep(for: Self.window) } catch { break }
            writeSummary(at: now)
        }
        writeSummary(at: now + Self.window)
    }

    private var now: Duration { start.duration(to: .now) }

    private func writeSummary(at now: Duration) {
        let (changes, refusals) = limiters.withLock {
            ($0.changes.takeSuppressed(at: now), $0.refusals.takeSuppressed(at: now))
        }
        for (who, count) in changes {
            logger.info("audit: accepted", metadata: ["who": "\(who)", "times": "\(count)"])
        }
        for (who, count) in refusals {
            logger.notice("audit: refused", metadata: ["who": "\(who)", "times": "\(count)"])
        }
    }

    private func metadata(_ actor: Actor) -> Logger.Metadata {
        ["who": "\(actor.name)", "from": "\(actor.address)"]
    }

    private func text(_ text: String) -> Logger.MetadataValue {
        "\(text.count > Self.textLimit ? text.prefix(Self.textLimit) + "…" : text[...])"
    }
}

extension AuditLog.Actor {
    /// - Parameter channel: The client's connection, or a stream of it.
    init(name: String, channel: any Channel) {
        self.init(name: name, address: channel.remoteAddress?.ipAddress ?? "unknown")
    }
}
