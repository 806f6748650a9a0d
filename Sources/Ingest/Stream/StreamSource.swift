/// The worker's results for a stream, without entries that are not exported from here: those stored
/// in the node's own journal, and those that another node is responsible for now.
public struct StreamSource: ExportSource {
    let source: any ExportSource
    let journal: StreamJournal

    public init(source: any ExportSource, journal: StreamJournal) {
        self.source = source
        self.journal = journal
    }

    public func results(
        after number: Int64, bytes: Int, for exporter: String
    ) async throws(JournalError) -> [ExportableEntry] {
        try await source.results(after: number, bytes: bytes, for: exporter).map { result in
            journal.isExported(result.number)
                ? result : ExportableEntry(number: result.number, batches: [])
        }
    }
}
