import Ingest
import Kafka
import Problems

/// Produces requests to the topics of their signals.
struct KafkaRequestProducer: RequestStream {
    private let producer: Producer
    private let topics: SignalTable<String>
    private let brokers: String

    /// The name of the header with the app that the sender's token is bound to.
    static let appHeader = "symbolist.app"
    /// The time after which a request is rejected. Clients give up after about ten seconds.
    private static let timeout = Duration.seconds(8)
    private static let closeLimit = Duration.seconds(5)

    /// - Parameter largestRequest: The maximum size of a request, in bytes.
    init(
        _ connection: KafkaSettings, topics: SignalTable<String>, largestRequest: Int
    ) throws(KafkaError) {
        var limits = ProducerLimits()
        // A message contains a header in addition to the request.
        limits.messageBytes = min(largestRequest + (1 << 20), ProducerLimits.largestMessageBytes)
        limits.timeout = Self.timeout
        limits.queueBytes = max(limits.queueBytes, 2 * limits.messageBytes)
        producer = try Producer(connection, limits: limits)
        self.topics = topics
        brokers = connection.brokers
    }

    func append(_ draft: JournalDraft) async throws(JournalError) -> Bool {
        guard let topic = draft.kind.signal.map({ topics[$0] }) else { return false }
        let header = draft.app.map { OutgoingMessage.Header(name: Self.appHeader, value: $0) }
        do throws(KafkaError) {
            try await producer.send(
                OutgoingMessage(topic: topic, value: draft.body, header: header))
            return true
        } catch {
            // The topic has a smaller limit.
            if error.reason == .messageRefused { return false }
            throw JournalError(.unavailable, error.problem)
        }
    }

    func checkRoom() throws(JournalError) {
        guard !producer.isReachable else { return }
        throw JournalError(
            .unavailable,
            Problem(
                "kafka \(brokers)", detail: "no broker can be reached",
                suggestion: "send again later"))
    }

    /// Whether a broker can be reached.
    var isReachable: Bool { producer.isReachable }

    /// Sends the queued messages.
    func close() async { await producer.close(within: Self.closeLimit) }
}
