import Ingest
import Logging
import ServerConfiguration

/// Registers the configured exporters as readers of the journal, and logs waiting entries of
/// readers without an exporter.
struct JournalReaderSetup {
    let configuration: ServerConfiguration
    let journal: any Journal
    let logger: Logger

    /// - Returns: Readers without an exporter for which entries wait.
    func run() async throws(JournalError) -> Set<String> {
        let exports = configuration.exports
        let reconciliation = ReaderReconciliation(
            exporters: exports.map(\.name), stored: try await journal.readers(),
            isSpelling: { stored, name in
                exports.contains { $0.name == name && $0.hasDefaultName(stored) }
            })
        let unsent = try await journal.backlog(of: JournalReaders.unsent)
        try await journal.reconcile(reconciliation)
        for rename in reconciliation.renames { try await log(rename) }
        for name in reconciliation.additions where unsent.count > 0 { try await log(name, unsent) }
        for orphan in reconciliation.orphans { try await log(orphan) }
        if exports.isEmpty { logNoExporters() }
        return Set(reconciliation.orphans.map(\.name))
    }

    private func log(_ rename: ReaderReconciliation.Rename) async throws(JournalError) {
        let waiting = try await text(of: rename.old.backlog, for: rename.new)
        let letterCount = rename.old.deadLetterCount
        let letters = letterCount > 0 ? ", and \(letterCount) dead letters" : ""
        logger.notice(
            """
            exporter '\(rename.new)': continues from the cursor of '\(rename.old.name)', which is \
            no longer configured: waiting: \(waiting)\(letters)
            """)
    }

    private func log(_ newcomer: String, _ unsent: Backlog) async throws(JournalError) {
        let waiting = try await text(of: unsent, for: newcomer)
        logger.notice(
            """
            exporter '\(newcomer)': starts with the records stored while there was no exporter: \
            waiting: \(waiting)
            """)
    }

    private func log(_ orphan: ReaderStatus) async throws(JournalError) {
        let waiting = try await text(of: orphan.backlog, for: orphan.name)
        logger.warning(
            """
            exporter '\(orphan.name)': not configured: waiting for it: \(waiting), and new \
            records: set export[].name of the exporter that replaces it to '\(orphan.name)', or \
            discard them with 'symbolist exporters drop \(orphan.name) \(storageOption)'
            """)
    }

    /// The option with which a command finds the journal.
    private var storageOption: String {
        configuration.cluster == nil ? "--data \(configuration.dataFolder)" : "--config FILE"
    }

    private func logNoExporters() {
        logger.warning(
            """
            export: no exporter configured: records are kept until one is added; above \
            \(configuration.unsentBytes) bytes the oldest are removed
            """)
    }

    /// Returns text such as `12 requests with 50 records, 3400 bytes`.
    private func text(of waiting: Backlog, for reader: String) async throws(JournalError) -> String
    {
        let records = try await PendingRecordCount(for: reader, in: journal)
        let more = records.isLowerBound ? "more than " : ""
        return "\(waiting.count) requests with \(more)\(records.count) records, "
            + "\(waiting.bytes) bytes"
    }
}

extension ServerConfiguration {
    /// The limit of waiting data while there is no exporter: half of the queue, so that there is
    /// room for new data when an exporter is added later.
    var unsentBytes: Int64 { limits.queueBytes / 2 }
}
