import Problems
import Synchronization

/// Produces messages, which are acknowledged once all in-sync replicas have them.
///
/// Memory is bounded by ``ProducerLimits/queueBytes``: beyond it, ``send(_:)`` fails at once.
public final class Producer: Sendable {
    private let settings: KafkaSettings
    private let limits: ProducerLimits
    private let library: LibRDKafka
    let client: Mutex<ProducerClient>

    /// Connects in the background.
    ///
    /// - Throws: ``KafkaError`` if librdkafka is missing or refuses a setting.
    public convenience init(
        _ settings: KafkaSettings, limits: ProducerLimits = ProducerLimits()
    ) throws(KafkaError) {
        try self.init(settings, limits: limits, library: try LibRDKafka.loaded.get())
    }

    init(
        _ settings: KafkaSettings, limits: ProducerLimits, library: LibRDKafka
    ) throws(KafkaError) {
        self.settings = settings
        self.limits = limits
        self.library = library
        client = Mutex(try Self.client(settings, limits, library))
    }

    /// Ends the client of a producer that was not closed, as when a later step of a start failed.
    deinit { client.withLock { $0 }.end(within: .zero) }

    private static func client(
        _ settings: KafkaSettings, _ limits: ProducerLimits, _ library: LibRDKafka
    ) throws(KafkaError) -> ProducerClient {
        let properties = try settings.connectionProperties().merging(limits.properties()) { $1 }
            .merging(settings.properties) { $1 }
        return try ProducerClient(library, properties: properties)
    }

    /// Sends a message, and returns once all in-sync replicas have it.
    ///
    /// - Throws: ``KafkaError``. If the reason is `unavailable` or `closed`, the message may have
    ///   been stored.
    public func send(_ message: OutgoingMessage) async throws(KafkaError) {
        let client = client.withLock { $0 }
        let delivery = PendingDelivery()
        var code = client.produce(message, delivery)
        if code == .none { code = await delivery.result() }
        guard code != .none else { return client.state.recordSuccess() }
        if code == .fatal || client.hasFailed {
            code = .fatal
            try await replace(client)
        }
        throw error(code, topic: message.topic, client)
    }

    /// Replaces a client after a fatal error, as when brokers have lost the state of an idempotent
    /// producer.
    private func replace(_ failed: ProducerClient) async throws(KafkaError) {
        let next = try Self.client(settings, limits, library)
        let isReplaced = client.withLock { client in
            guard client === failed else { return false }
            client = next
            return true
        }
        await (isReplaced ? failed : next).close(within: .zero)
    }

    private func error(
        _ code: ResponseCode, topic: String, _ client: ProducerClient
    ) -> KafkaError {
        var detail = library.text(of: code)
        if code == .messageTimedOut {
            detail = "no acknowledgement within \(limits.timeout)"
            if let last = client.state.lastError { detail += ": \(last)" }
        }
        return KafkaError(
            code.reason,
            Problem(
                "kafka \(settings.brokers): topic '\(topic)'", detail: detail,
                suggestion: code.suggestion))
    }

    /// Whether a broker was reachable when librdkafka last tried.
    public var isReachable: Bool { !client.withLock { $0 }.state.isDown }

    /// Sends the queued messages, for at most `limit`. Later messages are rejected.
    public func close(within limit: Duration) async {
        await client.withLock { $0 }.close(within: limit)
    }
}
