import CallStacks
import Ingest
import Kafka
import Logging
import Metrics
import Problems
import SymbolIntake
import Synchronization

/// Adds the messages of this node's partitions to a journal in memory, and commits their offsets when
/// they are finished.
final class KafkaRequestConsumer: ConsumerHandler {
    private let journal: StreamJournal
    private let signals: [String: Signal]
    /// The redaction of requests of any producer, or `nil` if they are stored as received.
    private let redaction: ArrivalRedaction?
    private let now: @Sendable () -> UnixTime
    private let wakeWorker: @Sendable () -> Void
    private let logger: Logger
    private let consumer = Mutex<Consumer?>(nil)
    private let isStopping = Atomic(false)
    private let skipped = Mutex(SkippedMessages())
    private let lastFailure = Mutex<ContinuousClock.Instant?>(nil)
    private let refused = Counter(label: "symbolist_kafka_refused_total")

    /// The minimum session timeout that brokers allow by default.
    private static let leastSessionTimeout = Duration.seconds(6)
    /// The time for which refused messages are gathered before they are logged.
    private static let refusalInterval = Duration.seconds(1)
    /// The minimum time between two log lines about failed connections.
    private static let failureInterval = Duration.seconds(30)

    init(
        into journal: StreamJournal, topics: SignalTable<String>, redaction: ArrivalRedaction?,
        logger: Logger, now: @escaping @Sendable () -> UnixTime,
        wakeWorker: @escaping @Sendable () -> Void
    ) {
        self.journal = journal
        signals = Dictionary(Signal.allCases.map { (topics[$0], $0) }) { $1 }
        self.redaction = redaction
        self.now = now
        self.wakeWorker = wakeWorker
        self.logger = logger
    }

    /// Joins the group.
    ///
    /// - Parameter sessionTimeout: The time without a heartbeat after which a node's partitions are
    ///   assigned to others.
    func start(
        _ connection: KafkaSettings, group: String, sessionTimeout: Duration
    ) throws(KafkaError) {
        var settings = ConsumerSettings(
            group: group, topics: signals.keys.sorted(), headerName: KafkaRequestProducer.appHeader)
        settings.sessionTimeout = max(sessionTimeout, Self.leastSessionTimeout)
        // Messages may arrive before the initializer returns. They need the consumer when they are
        // finished, and wait for the lock then.
        try consumer.withLock { consumer throws(KafkaError) in
            consumer = try Consumer(connection, settings, handler: self)
        }
    }

    /// The membership in the group, or `nil` before ``start(_:group:sessionTimeout:)``.
    var membership: Consumer? { consumer.withLock { $0 } }

    /// Stops accepting messages. Those in progress are finished.
    func stop() { isStopping.store(true, ordering: .releasing) }

    var hasCapacity: Bool { !isStopping.load(ordering: .acquiring) && journal.hasCapacity }

    func received(_ message: ConsumedMessage) {
        let position = message.position
        guard let signal = signals[position.partition.topic] else { return }
        let origin = Origin(position: position, intake: self)
        do throws(Problem) {
            let draft = try StreamMessage.draft(
                of: signal, message.value, at: "\(position)",
                time: message.timestamp.map(UnixTime.init(rawValue:)), from: message.header,
                now: now())
            journal.add(redaction?.redacted(draft) ?? draft, from: origin)
            wakeWorker()
        } catch {
            refuse(position, error)
            origin.finish()
        }
    }

    private func refuse(_ position: MessagePosition, _ problem: Problem) {
        refused.increment()
        guard skipped.withLock({ $0.add(position, problem) }) else { return }
        Task {
            try? await Task.sleep(for: Self.refusalInterval)
            logSkipped()
        }
    }

    /// Logs the messages that were skipped since the last call.
    func logSkipped() {
        for line in skipped.withLock({ $0.takeLines() }) { logger.error("\(line)") }
    }

    func assigned(_ partitions: Set<TopicPartition>) { log("assigned", partitions) }

    func revoked(_ partitions: Set<TopicPartition>) { log("revoked", partitions) }

    private func log(_ event: String, _ partitions: Set<TopicPartition>) {
        guard !partitions.isEmpty else { return }
        let names = partitions.map(\.description).sorted().joined(separator: " ")
        logger.info("kafka: partitions \(event)", metadata: ["partitions": "\(names)"])
    }

    func failed(_ error: KafkaError) {
        // While no broker is reachable, every attempt results in an error.
        if isFailureDue { logger.warning("\(error)") }
    }

    /// Whether a line about a failure may be logged, and records that it is.
    private var isFailureDue: Bool {
        lastFailure.withLock { last in
            guard last.map({ $0.duration(to: .now) >= Self.failureInterval }) ?? true else {
                return false
            }
            last = .now
            return true
        }
    }

    private struct Origin: StreamedRequest {
        let position: MessagePosition
        /// Weak, because the intake's journal retains the unfinished requests.
        weak let intake: KafkaRequestConsumer?

        var isCurrent: Bool {
            guard let intake else { return false }
            return intake.membership?.isCurrent(position) ?? true
        }

        func finish() { intake?.membership?.finish(position) }
    }
}
