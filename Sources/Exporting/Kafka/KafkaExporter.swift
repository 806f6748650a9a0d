import Ingest
import Kafka
import Problems

/// Produces each batch to the topic of its signal, as OTLP protobuf. A batch is accepted once all
/// in-sync replicas have it.
struct KafkaExporter: Exporter {
    let name: String
    let batchBytesLimit: Int
    private let topics: SignalTable<String>
    private let producer: Producer
    private let timeout: Duration

    /// The maximum size of a message, in addition to ``batchBytesLimit``. A record larger than a
    /// batch is sent alone, and the brokers decide whether to accept it.
    private static let messageBytes = 64 << 20

    init(_ validator: ExporterSettingsValidator) throws(ExporterSettingsError) {
        let settings = validator.settings
        guard let target = settings.kafka else {
            throw validator.error(
                "brokers", detail: "is missing", suggestion: "set it to HOST:PORT")
        }
        name = settings.name
        batchBytesLimit = settings.batchBytesLimit
        topics = target.topics
        timeout = settings.timeout
        var limits = ProducerLimits()
        limits.messageBytes = min(
            Self.messageBytes + batchBytesLimit, ProducerLimits.largestMessageBytes)
        // The queue must hold even a batch with one oversized record.
        limits.queueBytes = max(limits.messageBytes, batchBytesLimit * settings.loop.inFlightLimit)
        limits.timeout = settings.timeout
        limits.compression = settings.compression == .gzip ? .gzip : .none
        do throws(KafkaError) {
            producer = try Producer(target.connection, limits: limits)
        } catch {
            throw ExporterSettingsError(problem: error.problem.inside(validator.key))
        }
    }

    func send(_ batch: ExportBatch) async -> ExportOutcome {
        do throws(KafkaError) {
            try await producer.send(OutgoingMessage(topic: topics[batch.signal], value: batch.body))
            return .accepted(rejectedCount: 0, message: "")
        } catch {
            return switch error.reason {
            case .messageRefused: .refused(reason: error.description, isForContent: true)
            case .topicRefused: .refused(reason: error.description, isForContent: false)
            default: .retry(reason: error.description, after: nil)
            }
        }
    }

    func run() async {
        await cancellation()
        await producer.close(within: timeout)
    }
}
