import CallStacks
import MetricKitPayloads
import MetricKitSignals
import OTLP
import StackRendering
import SymbolIntake
import Symbolication

/// Processes single log records: symbolicates the diagnostics in a record, and adds the result to
/// it.
struct RecordProcessor: Sendable {
    let symbolication: DiagnosticSymbolication
    let enricher: RecordEnricher
    /// Whether records created from payloads have attributes that the instrumentation does not
    /// send.
    let hasAdditions: Bool

    enum Outcome {
        /// The record contains no diagnostic, and is exported as received.
        case unchanged
        /// The record contains a stack that cannot be read, and is now marked as such.
        case marked
        case enriched(DiagnosticRecord)
    }

    /// Returns the records of an entry, or `nil` if it has none or cannot be read.
    func records(of entry: JournalEntry) -> EntryRecords? {
        EntryRecords(of: entry, reader: symbolication.reader, hasAdditions: hasAdditions)
    }

    /// - Parameter hidden: Stored symbols that lookups ignore.
    func process(
        _ record: inout EntryRecord, without hidden: HiddenSymbols = HiddenSymbols()
    ) async -> Outcome {
        switch record.origin {
        case .request(let scopeName, let resource):
            await process(
                &record,
                ReceivedRecord(record.content, scopeName: scopeName, resource: resource),
                without: hidden)
        case .payload(let diagnostic, let resource):
            await process(&record, diagnostic, resource, without: hidden)
        }
    }

    private func process(
        _ record: inout EntryRecord, _ received: ReceivedRecord, without hidden: HiddenSymbols
    ) async -> Outcome {
        let uid = record.uid.listed(
            insteadOf: record.content.attributes.text(of: AttributeKeys.uid))
        let received = symbolication.reader.aliases.standardized(received)
        if enricher.settings.honeycomb?.admits(received) == false { return .unchanged }
        let element = symbolication.reader.read(received)
        guard let attribute = element.stackAttribute, !element.diagnostics.isEmpty else {
            // If another service failed to symbolicate the stack, its reason is more useful than
            // that its text is unreadable.
            guard !received.isFailed, let reason = Self.failure(of: element, received)
            else { return .unchanged }
            enricher.markFailed(because: reason, uid: uid, in: &record.content)
            return .marked
        }
        let access = symbolication.access(
            of: received.app(of: element.diagnostics.first), from: record.entry.draft.app)
        let diagnostics = await symbolication.symbolicate(
            element.diagnostics, with: access, without: hidden)
        let stored = DiagnosticRecord(
            diagnostics, of: record, uid: uid, with: access, received: received)
        guard var stored else { return .unchanged }
        enricher.apply(diagnostics, from: attribute, uid: uid, to: &record.content)
        stored.digest = RecordDigest(of: record)
        stored.view = SymbolView(of: element.diagnostics.flatMap(\.imageIDs), in: diagnostics)
        return .enriched(stored)
    }

    /// Whether processing would symbolicate a record of a request, or its stack is unreadable.
    func isDiagnostic(_ record: EntryRecord) -> Bool {
        guard case .request(let scopeName, let resource) = record.origin else { return true }
        let received = symbolication.reader.aliases.standardized(
            ReceivedRecord(record.content, scopeName: scopeName, resource: resource))
        guard enricher.settings.honeycomb?.admits(received) != false else { return false }
        let element = symbolication.reader.read(received)
        return !element.diagnostics.isEmpty || Self.failure(of: element, received) != nil
    }

    /// Returns the reason why the stack of a diagnostic's record cannot be read, or `nil` if the
    /// record is not a diagnostic or has no stack.
    private static func failure(of element: PayloadElement, _ record: ReceivedRecord) -> String? {
        if let part = element.unread.first { return "\(part.remark.rawValue): \(part.problem)" }
        guard !record.isSymbolicated, record.namesDiagnostic, !record.containsSymbolicatedText,
            record.attributes[AttributeKeys.stackTrace] != nil
        else { return nil }
        return "\(Remark.unknownShape.rawValue): \(AttributeKeys.stackTrace) is not a call stack"
    }

    private func process(
        _ record: inout EntryRecord, _ received: ReceivedDiagnostic, _ resource: Resource,
        without hidden: HiddenSymbols
    ) async -> Outcome {
        let uid = record.uid.text
        let hadStack = record.content.attributes.value(of: AttributeKeys.stackTrace) != nil
        let access = symbolication.access(
            of: received.details.bundleIdentifier, from: record.entry.draft.app)
        let diagnostic = await symbolication.symbolicate(
            received, with: access, without: hidden)
        let stored = DiagnosticRecord([diagnostic], of: record, uid: uid, with: access)
        guard var stored else { return .unchanged }
        enricher.apply(
            [diagnostic], from: AttributeKeys.stackTrace, uid: uid, to: &record.content)
        let names = enricher.names
        if !hasAdditions, !hadStack { record.content.attributes.remove(names.stackTrace) }
        // The frames may provide a message that is more specific than the general meaning of a Mach
        // exception.
        if received.kind == .crash, let message = diagnostic.exceptionMessage {
            record.content.attributes.set(names.exceptionMessage, message)
        }
        stored.digest = RecordDigest(of: record, resource)
        stored.view = SymbolView(of: received.imageIDs, in: [diagnostic])
        return .enriched(stored)
    }
}
