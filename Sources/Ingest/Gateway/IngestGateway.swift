import CallStacks
import Crypto
public import MetricKitPayloads
import Metrics
public import Problems
import TaskCoordination

/// Accepts requests. A request is acknowledged only after it is in the journal.
public struct IngestGateway: Sendable {
    private let journal: any Journal
    private let newEntries: Wakeup
    private let backpressure: Backpressure
    private let queueBytesLimit: Int64
    /// Readers without an exporter in the configuration.
    private let orphans: Set<String>
    /// The redaction of requests before they are stored, or `nil` if they are stored as received.
    private let redaction: ArrivalRedaction?
    private let now: @Sendable () -> UnixTime
    private let writeFailure = RecentWriteFailure()
    /// The stream that accepts OTLP requests in place of the journal, or `nil` if there is none.
    var stream: (any RequestStream)?

    /// The delay that rejected clients are asked to wait, in seconds.
    public static let retryAfterSeconds = 5

    init(
        journal: any Journal, newEntries: Wakeup, backpressure: Backpressure,
        queueBytesLimit: Int64, orphans: Set<String>,
        redaction: ArrivalRedaction?,
        now: @escaping @Sendable () -> UnixTime
    ) {
        self.journal = journal
        self.newEntries = newEntries
        self.backpressure = backpressure
        self.queueBytesLimit = queueBytesLimit
        self.orphans = orphans
        self.redaction = redaction
        self.now = now
    }

    /// Stores an export request.
    ///
    /// - Parameters:
    ///   - body: The request as protobuf.
    ///   - app: The app that the sender's token is bound to.
    public func accept(
        _ signal: Signal, _ body: [UInt8], from app: String? = nil
    ) async throws(IngestGatewayError) {
        try await checkRoom()
        var generator = SystemRandomNumberGenerator()
        let arrival = now()
        let key = EntryKey.unique(at: arrival, using: &generator)
        let draft = stored(
            JournalDraft(key: key, arrival: arrival, kind: EntryKind(signal), body: body, app: app))
        if let stream {
            if try await isAppended(draft, to: stream) { return }
            try await checkJournal()
        }
        try await append([draft])
    }

    /// Returns a request as it is stored.
    private func stored(_ draft: JournalDraft) -> JournalDraft {
        redaction?.redacted(draft) ?? draft
    }

    private func isAppended(
        _ draft: JournalDraft, to stream: any RequestStream
    ) async throws(IngestGatewayError) -> Bool {
        do throws(JournalError) {
            return try await stream.append(draft)
        } catch { throw IngestGatewayError(error) }
    }

    /// Stores requests of a stream in the journal.
    public func store(_ drafts: [JournalDraft]) async throws(JournalError) {
        do throws(IngestGatewayError) {
            try await checkJournal()
            try await append(drafts)
        } catch { throw JournalError(.other, error.problem) }
    }

    /// Stores MetricKit payloads, each only once even if it is posted repeatedly.
    ///
    /// - Parameters:
    ///   - zone: The zone of dates that name none, which is stored with them.
    ///   - app: The app that the sender's token is bound to. Payloads of one app's token are stored
    ///     even if another app posted the same.
    /// - Returns: The identifiers of the payloads, in order.
    public func accept(
        payloads: [[UInt8]], zone: PayloadZone? = nil, from app: String? = nil
    ) async throws(IngestGatewayError) -> [String] {
        try await checkJournal()
        let arrival = now()
        let drafts = payloads.compactMap { payload in
            EntryKey(bytes: Self.digest(of: payload, from: app)).map { key in
                stored(
                    JournalDraft(
                        key: key, arrival: arrival, kind: .metricKit,
                        body: zone?.added(toPayloads: payload) ?? payload, app: app,
                        isRepeatable: true))
            }
        }
        try await append(drafts)
        return drafts.map { RecordUID($0.key, position: 0).text }
    }

    /// Returns the digest that identifies a payload of an app.
    private static func digest(of payload: [UInt8], from app: String?) -> [UInt8] {
        var hash = SHA256()
        // The zero byte separates the name from the payload: JSON never starts with a name and a
        // zero byte, and other text hardly ever does.
        if let app { hash.update(data: Array(app.utf8) + [0]) }
        hash.update(data: payload)
        return Array(hash.finalize().prefix(EntryKey.length))
    }

    private func append(_ drafts: [JournalDraft]) async throws(IngestGatewayError) {
        let bytes = drafts.reduce(0) { $0 + $1.body.count }
        try await backpressure.pace(bytes: bytes) { () async throws(JournalError) in
            try await write(drafts)
        }
        newEntries.signal()
    }

    /// Checks the stream, or without one the disk and the queue, so that a request can be rejected
    /// before it is read.
    public func checkRoom() async throws(IngestGatewayError) {
        guard let stream else { return try await checkJournal() }
        do throws(JournalError) { try stream.checkRoom() } catch {
            throw IngestGatewayError(error)
        }
    }

    private func checkJournal() async throws(IngestGatewayError) {
        let backlog: Backlog
        do throws(JournalError) {
            try await journal.checkFreeSpace()
            backlog = try await journal.backlog()
        } catch { throw IngestGatewayError(error) }
        guard backlog.bytes < queueBytesLimit else {
            throw IngestGatewayError(
                Problem(
                    "queue", detail: "holds \(backlog.bytes) bytes, limit is \(queueBytesLimit)",
                    suggestion: suggestion(for: backlog)))
        }
    }

    private func suggestion(for backlog: Backlog) -> String {
        guard let reader = backlog.reader, reader != JournalReaders.worker else {
            return "send again when the service has caught up"
        }
        return orphans.contains(reader)
            ? "they wait for '\(reader)', which is not configured: configure an exporter with "
                + "this name, or drop it with 'symbolist exporters drop'"
            : "send again when exporter '\(reader)' has caught up"
    }
}

extension IngestGateway {
    private static let writeTime = Metrics.Timer(label: "symbolist_journal_write_seconds")

    private func write(_ drafts: [JournalDraft]) async throws(JournalError) {
        let start = ContinuousClock.now
        do throws(JournalError) { _ = try await journal.append(drafts) } catch {
            writeFailure.record(error)
            throw error
        }
        writeFailure.recordSuccess()
        Self.writeTime.recordSeconds(start.duration(to: .now) / .seconds(1))
    }

    /// Checks whether requests are likely to be accepted, without writing.
    public func checkWrites() async throws(IngestGatewayError) {
        try await checkRoom()
        if stream != nil { try await checkJournal() }
        if let error = writeFailure.latest { throw IngestGatewayError(error) }
    }
}

/// The reason why a request was not accepted. The client keeps its data and sends it again.
public struct IngestGatewayError: DescribedError, Hashable {
    public var problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    init(_ error: JournalError) { problem = error.problem }
}
