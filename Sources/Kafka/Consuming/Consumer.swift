import Problems
import Synchronization
import TaskCoordination

/// A member of a consumer group, with a thread of its own.
///
/// Offsets are committed only up to the oldest message that is not finished: see ``finish(_:)``.
/// Messages that were not finished when a partition was revoked are delivered to its next consumer.
public final class Consumer: Sendable {
    private static let connectionCheckInterval = Duration.seconds(3)

    private let client: ConsumerClient
    private let settings: ConsumerSettings
    private let isStopping = Atomic(false)
    private let latestLag = Atomic<Int64>(0)
    private let ended = Latch()

    /// Joins the group, and delivers messages to `handler` until ``close()``.
    ///
    /// - Throws: ``KafkaError`` if librdkafka is missing or refuses a setting.
    public init(
        _ connection: KafkaSettings, _ settings: ConsumerSettings,
        handler: any ConsumerHandler
    ) throws(KafkaError) {
        self.settings = settings
        client = try ConsumerClient(
            try LibRDKafka.loaded.get(), connecting: connection, settings, handler: handler)
        let code = startThread { [self] in serve() }
        guard code == 0 else {
            client.close()
            throw KafkaError(.unavailable, Problem("kafka", detail: "no thread: errno \(code)"))
        }
    }

    private func serve() {
        client.subscribe()
        var lastCommit = ContinuousClock.now
        var lastCheck = ContinuousClock.now
        while !isStopping.load(ordering: .acquiring) {
            client.poll()
            if lastCommit.duration(to: .now) >= settings.commitInterval {
                client.commit(client.tracker.withLock { $0.takeOffsets() }, waits: false)
                latestLag.store(client.lag(), ordering: .releasing)
                lastCommit = .now
            }
            if client.connection.isDown,
                lastCheck.duration(to: .now) >= Self.connectionCheckInterval
            {
                client.checkConnection()
                lastCheck = .now
            }
        }
        client.close()
        ended.open()
    }

    /// Marks a message as finished. Does nothing if its partition was revoked.
    public func finish(_ position: MessagePosition) {
        client.tracker.withLock { $0.finish(position) }
    }

    /// Whether a message belongs to a partition that has not been revoked since.
    public func isCurrent(_ position: MessagePosition) -> Bool {
        client.tracker.withLock { $0.isCurrent(position) }
    }

    /// Whether a broker was reachable when librdkafka last tried.
    public var isReachable: Bool { !client.connection.isDown }

    /// The number of unfinished messages in this consumer's partitions, as of the last commit.
    public var lag: Int64 { latestLag.load(ordering: .acquiring) }

    /// The number of partitions assigned to this consumer.
    public var partitionCount: Int { client.tracker.withLock { $0.assigned.count } }

    /// Commits the finished messages, and leaves the group. Cancelling the task has no effect.
    public func close() async {
        isStopping.store(true, ordering: .releasing)
        await ended.wait()
    }
}
