import Logging
import NIOCore
import Synchronization

/// Who changed something, and who was refused and why, as lines of the log.
///
/// Lines name tokens by their names and never hold one. However many requests there are, the number of
/// lines a minute is bounded.
final class AuditLog: Sendable {
    /// Who did something, or was not let.
    struct Actor {
        /// The name of a token, or what is there in place of one.
        var name: String
        /// The address of the client.
        var address: String
    }

    private static let window = Duration.seconds(10)
    private static let lineLimit = 20
    /// What is repeated of a request, in characters.
    private static let textLimit = 300

    private let logger: Logger
    private let start = ContinuousClock.now
    private let budgets = Mutex(
        (
            changes: LineBudget(lines: lineLimit, per: window),
            refusals: LineBudget(lines: lineLimit, per: window)
        ))

    init(logger: Logger) { self.logger = logger }

    /// Notes a change that was made.
    func note(change what: String, by actor: Actor) {
        let subject = "\(actor.name) at \(actor.address)"
        guard budgets.withLock({ $0.changes.admits(subject, at: now) }) else { return }
        logger.info(
            "audit: changed", metadata: metadata(actor).merging(["what": text(what)]) { $1 })
    }

    /// Notes a request that was refused.
    func note(refusal why: String, of what: String, to actor: Actor) {
        let subject = "\(actor.name) at \(actor.address)"
        guard budgets.withLock({ $0.refusals.admits(subject, at: now) }) else { return }
        let more: Logger.Metadata = ["what": text(what), "why": text(why)]
        logger.notice("audit: refused", metadata: metadata(actor).merging(more) { $1 })
    }

    /// Runs `body`, and writes the sums of each window meanwhile.
    func whileWriting(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.run() }
            defer { group.cancelAll() }
            try await body()
        }
    }

    private func run() async {
        while !Task.isCancelled {
            do { try await Task.sleep(for: Self.window) } catch { break }
            writeSums(at: now)
        }
        writeSums(at: now + Self.window)
    }

    private var now: Duration { start.duration(to: .now) }

    private func writeSums(at now: Duration) {
        let (changes, refusals) = budgets.withLock {
            ($0.changes.takeSums(at: now), $0.refusals.takeSums(at: now))
        }
        for (who, count) in changes {
            logger.info("audit: changed", metadata: ["who": "\(who)", "times": "\(count)"])
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
