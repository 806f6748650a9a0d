import CallStacks
import Crypto
import Metrics

/// Takes requests in: they are acknowledged when they are in the journal, and only then.
public struct Reception: Sendable {
    private let journal: any Journal
    private let archive: any DiagnosticArchive
    private let arrivals: Wakeup
    private let backpressure: Backpressure
    private let payloadsUnderway = PayloadsUnderway()
    private let queueBytesLimit: Int64
    /// Readers that no exporter of the configuration reads for.
    private let orphans: Set<String>
    private let now: @Sendable () -> UnixTime
    private let failures = WriteFailures()

    /// What a client that is turned away should wait, in seconds.
    public static let retryAfterSeconds = 5

    init(
        journal: any Journal, archive: any DiagnosticArchive, arrivals: Wakeup,
        backpressure: Backpressure, queueBytesLimit: Int64, orphans: Set<String> = [],
        now: @escaping @Sendable () -> UnixTime
    ) {
        self.journal = journal
        self.archive = archive
        self.arrivals = arrivals
        self.backpressure = backpressure
        self.queueBytesLimit = queueBytesLimit
        self.orphans = orphans
        self.now = now
    }

    /// Keeps an export request, as protobuf.
    ///
    /// - Parameter app: The app that the sender's token is bound to.
    public func accept(
        _ signal: Signal, _ body: [UInt8], from app: String? = nil
    ) async throws(ReceptionError) {
        try await checkRoom()
        var generator = SystemRandomNumberGenerator()
        let arrival = now()
        let key = EntryKey.unique(at: arrival, using: &generator)
        try await append([
            JournalDraft(key: key, arrival: arrival, signal: signal, body: body, app: app)
        ])
    }

    /// Keeps MetricKit payloads, each once however often it is posted.
    ///
    /// - Parameter app: The app that the sender's token is bound to. What one app's token posts is
    ///   kept even if another one posted the same.
    /// - Returns: What names each of them, in their order.
    public func accept(
        payloads: [[UInt8]], from app: String? = nil
    ) async throws(ReceptionError) -> [String] {
        try await checkRoom()
        let keys = payloads.compactMap { payload in
            EntryKey(bytes: Self.digest(of: payload, from: app))
        }
        await payloadsUnderway.begin(Set(keys))
        defer { payloadsUnderway.end(Set(keys)) }
        try await append(Array(zip(keys, payloads)), from: app, at: now())
        return keys.map { RecordUID($0, position: 0).text }
    }

    private func append(
        _ payloads: [(key: EntryKey, body: [UInt8])], from app: String?, at arrival: UnixTime
    ) async throws(ReceptionError) {
        var drafts: [JournalDraft] = []
        for (key, body) in payloads {
            guard !drafts.contains(where: { $0.key == key }), try await !isKnown(key)
            else { continue }
            drafts.append(
                JournalDraft(
                    key: key, arrival: arrival, signal: .metricKit, body: body, app: app))
        }
        if !drafts.isEmpty { try await append(drafts) }
    }

    /// What two postings of the same payload have in common.
    private static func digest(of payload: [UInt8], from app: String?) -> [UInt8] {
        var hash = SHA256()
        // No JSON begins with a name and a zero.
        if let app { hash.update(data: Array(app.utf8) + [0]) }
        hash.update(data: payload)
        return Array(hash.finalize().prefix(EntryKey.length))
    }

    private func isKnown(_ key: EntryKey) async throws(ReceptionError) -> Bool {
        do throws(JournalError) {
            return try await archive.isKnown(payload: key)
        } catch { throw ReceptionError(error) }
    }

    private func append(_ drafts: [JournalDraft]) async throws(ReceptionError) {
        let bytes = drafts.reduce(0) { $0 + $1.body.count }
        try await backpressure.pace(bytes: bytes) { () async throws(JournalError) in
            try await write(drafts)
        }
        arrivals.signal()
    }

    /// Whether anything could be taken in now, so that a request can be turned away before it is read.
    public func checkRoom() async throws(ReceptionError) {
        let backlog: Backlog
        do throws(JournalError) {
            try await journal.checkFreeSpace()
            backlog = try await journal.backlog()
        } catch { throw ReceptionError(error) }
        guard backlog.bytes < queueBytesLimit else {
            throw ReceptionError(
                "queue: holds \(backlog.bytes) bytes, limit is \(queueBytesLimit): "
                    + nextStep(backlog))
        }
    }

    private func nextStep(_ backlog: Backlog) -> String {
        guard let reader = backlog.reader, reader != JournalReaders.worker else {
            return "send again when the service has caught up"
        }
        return orphans.contains(reader)
            ? "they wait for '\(reader)', which is not configured: name an exporter so, or give "
                + "it up with 'symbolist exporters drop'"
            : "send again when exporter '\(reader)' has caught up"
    }
}

extension Reception {
    private static let writeTime = Metrics.Timer(label: "symbolist_journal_write_seconds")

    private func write(_ drafts: [JournalDraft]) async throws(JournalError) {
        let start = ContinuousClock.now
        do throws(JournalError) { _ = try await journal.append(drafts) } catch {
            failures.note(error)
            throw error
        }
        failures.noteSuccess()
        Self.writeTime.recordSeconds(start.duration(to: .now) / .seconds(1))
    }

    /// Whether requests can be taken in, as far as is known without writing.
    public func checkWrites() async throws(ReceptionError) {
        try await checkRoom()
        if let error = failures.latest { throw ReceptionError(error) }
    }
}

/// Why nothing could be taken in now. The client keeps what it has and sends it again.
public struct ReceptionError: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String

    init(_ description: String) { self.description = description }

    init(_ error: JournalError) { description = error.description }
}
