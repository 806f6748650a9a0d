import CallStacks
import MetricKitPayloads
import OTLP
import StackRendering
import SymbolIntake

/// Works on single log records: finds what they hold, symbolicates it, and enriches them.
struct RecordWork: Sendable {
    let symbolication: DiagnosticSymbolication
    let enrichment: Enrichment

    /// What became of a record.
    enum Outcome {
        /// It holds no diagnostic, and goes out as it came.
        case untouched
        /// It was marked, because its stack cannot be understood.
        case failed
        case enriched(DiagnosticRow)
    }

    /// - Parameters:
    ///   - position: Among the records of the entry.
    ///   - entry: The one that it came in.
    func work(
        on record: inout OTLP.LogRecord, scopeName: String,
        resource: [String: ReceivedRecord.Value], at position: Int, of entry: JournalEntry
    ) async -> Outcome {
        guard record.mayHoldDiagnostic else { return .untouched }
        let parts = ReceivedRecord(record, scopeName: scopeName, resource: resource)
        let own = RecordUID(entry.draft.key, position: position)
        let uid = own.listed(insteadOf: record.attributes.text(of: AttributeKeys.uid))
        let element = symbolication.reader.read(parts)
        guard let attribute = element.stackAttribute, !element.diagnostics.isEmpty else {
            guard let reason = Self.failure(of: element, parts) else { return .untouched }
            enrichment.markFailed(because: reason, uid: uid, in: &record)
            return .failed
        }
        let access = symbolication.access(
            of: parts.app(of: element.diagnostics.first), from: entry.draft.app)
        let diagnostics = await symbolication.symbolicate(element.diagnostics, with: access)
        let row = DiagnosticRow(
            diagnostics, uid: uid, at: position, of: entry, with: access, record: parts)
        guard var row else { return .untouched }
        enrichment.apply(
            diagnostics, from: attribute, uid: uid, revision: row.revision, to: &record)
        row.digest = ContentDigest(of: record)
        return .enriched(row)
    }

    /// Why a record that calls itself a diagnostic has no stack that can be read; `nil` where it is
    /// something else, or has none.
    private static func failure(of element: PayloadElement, _ record: ReceivedRecord) -> String? {
        if let part = element.unread.first { return "\(part.remark.rawValue): \(part.explanation)" }
        guard !record.isSymbolicated, record.namesDiagnostic,
            record.attributes[AttributeKeys.stackTrace] != nil
        else { return nil }
        return "\(Remark.unknownShape.rawValue): \(AttributeKeys.stackTrace) is no call stack"
    }
}

extension OTLP.LogRecord {
    /// Whether any attribute may hold a stack, by its key alone: most records of an app do not.
    var mayHoldDiagnostic: Bool {
        attributes.contains { ReceivedRecord.mayHoldStack(attribute: $0.key) }
    }
}
