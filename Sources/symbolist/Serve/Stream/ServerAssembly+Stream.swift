import HTTPService
import Ingest
import Kafka
import Logging
import ServerConfiguration
import ServiceLifecycle

/// The stream mode: nodes consume requests from Kafka, and store those that wait for symbols.
extension ServerAssembly {
    /// The total size of unfinished messages above which partitions are paused, in bytes.
    private static let streamBytesLimit: Int64 = 64 << 20

    /// Returns the services that consume from Kafka, in the order of their start.
    ///
    /// - Parameter lease: The time after which other nodes take over from a node that does not
    ///   respond.
    func stream(
        _ stream: StreamConfiguration, lease: Duration, _ requests: KafkaRequestProducer,
        _ dependencies: ServerDependencies
    ) async throws -> [any Service] {
        let gateway = dependencies.ingest.gateway
        let journal = StreamJournal(
            exporters: exporters.map(\.name), bytesLimit: Self.streamBytesLimit
        ) { drafts async throws(JournalError) in
            try await gateway.store(drafts)
        } stored: { keys async throws(JournalError) in
            try await storage.journal.appended(keys)
        }
        var settings = configuration.ingestSettings
        // Requests of diagnostics to be held are stored, and the node's own journal holds them.
        settings.holdSeconds = 0
        let flow = try await IngestFlow(
            journal: journal, archive: storage.archive, revisions: StreamRevisions(),
            symbolChanges: dependencies.symbols, symbolication: dependencies.symbolication,
            settings: settings, logger: logger, now: storage.now)
        let intake = KafkaRequestConsumer(
            into: journal, topics: stream.kafka.topics, redaction: flow.arrivalRedaction,
            logger: logger, now: storage.now
        ) { flow.wakeWorker() }
        let exports = exports(
            from: StreamSource(source: flow.worker, journal: journal), of: journal,
            StreamDeadLetters(storage.deadLetters, of: journal), dependencies,
            // The loops of the node's own lane keep the connections open.
            exporters.map { KeptOpenExporter(exporter: $0) })
        let membership = KafkaMembership(
            stream, sessionTimeout: lease, intake: intake, requests: requests)
        return [membership] + exports + [flow.worker, KafkaIntakeStop(intake: intake)]
    }
}

extension ServerConfiguration {
    /// Returns the stream that accepts OTLP requests in place of the journal, or `nil` if there is
    /// none.
    func kafkaRequests() throws(KafkaError) -> KafkaRequestProducer? {
        guard let stream else { return nil }
        return try KafkaRequestProducer(
            KafkaSettings(stream.kafka), topics: stream.kafka.topics,
            largestRequest: Int(limits.bodyBytes))
    }
}
