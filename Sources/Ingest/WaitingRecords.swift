import OTLP

/// How many records wait for a reader, as far as that can be counted in a short time.
public struct WaitingRecords: Hashable, Sendable {
    public private(set) var count: Int64 = 0
    /// Whether there are more than were counted.
    public private(set) var isPart = false

    /// How many entries are counted, and bytes of their bodies.
    static let entryLimit = 20_000
    static let bytesLimit = 64 << 20
    private static let entriesPerRead = 500

    /// - Parameter reader: One that has a place.
    public init(for reader: String, in journal: any Journal) async throws(JournalError) {
        var place = try await journal.place(of: reader)
        var entryCount = 0
        var byteCount = 0
        while entryCount < Self.entryLimit, byteCount < Self.bytesLimit {
            let entries = try await journal.entries(
                after: place, count: Self.entriesPerRead, bytes: 4 << 20)
            guard let last = entries.last else { return }
            for entry in entries { count += Int64(Self.recordCount(of: entry.draft)) }
            entryCount += entries.count
            byteCount += entries.reduce(0) { $0 + $1.draft.body.count }
            place = last.number
        }
        isPart = true
    }

    private static func recordCount(of draft: JournalDraft) -> Int {
        switch draft.signal {
        case .logs: recordCount(of: draft, ExportLogsServiceRequest.self)
        case .traces: recordCount(of: draft, ExportTraceServiceRequest.self)
        case .metrics: recordCount(of: draft, ExportMetricsServiceRequest.self)
        case .metricKit, .revision: 1
        }
    }

    /// What can't be read counts as one.
    private static func recordCount<Request: DivisibleRequest>(
        of draft: JournalDraft, _: Request.Type
    ) -> Int {
        do throws(OTLPError) {
            return try Request(decoding: draft.body, as: .protobuf).recordCount
        } catch { return 1 }
    }
}
