import Ingest
import Logging
import ServerConfiguration

/// Gives the exporters of the configuration their places in the journal, and says what waits for
/// those that it no longer has.
struct ReaderChecks {
    let configuration: ServerConfiguration
    let journal: any Journal
    let logger: Logger

    /// - Returns: The readers for which entries wait and that have no exporter.
    func run() async throws(JournalError) -> Set<String> {
        let exports = configuration.exports
        let settlement = ReaderSettlement(
            exporters: exports.map(\.name), stored: try await journal.readers(),
            isSpelling: { stored, name in
                exports.contains { $0.name == name && $0.hasDefaultName(stored) }
            })
        let unsent = try await journal.waiting(for: JournalReaders.unsent)
        try await journal.settle(settlement)
        for rename in settlement.renames { try await tell(rename) }
        for name in settlement.newcomers where unsent.count > 0 { try await tell(name, unsent) }
        for orphan in settlement.orphans { try await tell(orphan) }
        if exports.isEmpty { tellOfNone() }
        return Set(settlement.orphans.map(\.name))
    }

    private func tell(_ rename: ReaderSettlement.Rename) async throws(JournalError) {
        let waiting = try await text(of: rename.old.waiting, for: rename.new)
        let letterCount = rename.old.deadLetterCount
        let letters = letterCount > 0 ? ", and \(letterCount) dead letters" : ""
        logger.notice(
            """
            exporter '\(rename.new)': goes on where '\(rename.old.name)' was, which is no longer \
            configured: waiting: \(waiting)\(letters)
            """)
    }

    private func tell(_ newcomer: String, _ unsent: Backlog) async throws(JournalError) {
        let waiting = try await text(of: unsent, for: newcomer)
        logger.notice(
            """
            exporter '\(newcomer)': begins with what was kept while there was no exporter: \
            waiting: \(waiting)
            """)
    }

    private func tell(_ orphan: ReaderStatus) async throws(JournalError) {
        let waiting = try await text(of: orphan.waiting, for: orphan.name)
        logger.warning(
            """
            exporter '\(orphan.name)': is not configured: waiting for it: \(waiting), and what \
            comes: set export[].name of the exporter that is to send them to '\(orphan.name)', or \
            give them up with 'symbolist exporters drop \(orphan.name) --data \
            \(configuration.dataFolder)'
            """)
    }

    private func tellOfNone() {
        logger.warning(
            """
            export: none is set: records are kept and sent nowhere: an exporter that is added \
            gets them; beyond \(configuration.unsentBytes) bytes the oldest go
            """)
    }

    /// `12 requests with 50 records, 3400 bytes`.
    private func text(of waiting: Backlog, for reader: String) async throws(JournalError) -> String
    {
        let records = try await WaitingRecords(for: reader, in: journal)
        let more = records.isPart ? "more than " : ""
        return "\(waiting.count) requests with \(more)\(records.count) records, "
            + "\(waiting.bytes) bytes"
    }
}

extension ServerConfiguration {
    /// How much waits while there is no exporter: half of the queue, so that one that is added later
    /// begins with room for what comes.
    var unsentBytes: Int64 { limits.queueBytes / 2 }
}
