import CallStacks
import HTMLText
import MetricKitPayloads
import OTLP
import StackRendering
import Symbolication

/// Writes the result of symbolication into a record.
///
/// The record keeps all received attributes except `exception.stacktrace`, whose received text
/// moves to `exception.stacktrace.original`.
struct RecordEnricher {
    let settings: EnrichmentSettings
    /// The names to write.
    let names: HoneycombContract
    /// The names under which attributes are received, by their usual names, where they differ.
    private let receivedNames: [String: String]

    init(settings: EnrichmentSettings) {
        self.settings = settings
        names = settings.honeycomb ?? HoneycombContract()
        receivedNames = names.aliases.attributes
    }

    /// Enriches a record as its first revision.
    ///
    /// - Parameters:
    ///   - diagnostics: The diagnostics of the record, at least one. The first one provides the
    ///     title.
    ///   - stackAttribute: The attribute that contained them.
    func apply(
        _ diagnostics: [SymbolicatedDiagnostic], from stackAttribute: String, uid: String,
        to record: inout EncodedLogRecord
    ) {
        let isText = stackAttribute == AttributeKeys.stackTrace
        let output = isText ? names.stackTrace : names.metricKitOutput
        if settings.keepsOriginal, record.attributes.value(of: names.original) == nil {
            // The value that would be lost: the record keeps its other attributes.
            let received = receivedNames[stackAttribute] ?? stackAttribute
            let isReplaced = record.attributes.value(of: output) != nil
            record.attributes.copyValue(of: isReplaced ? output : received, to: names.original)
        }
        record.attributes.set(output) {
            write(stackTraceOf: diagnostics, to: &$0)
        }
        guard let first = diagnostics.first else { return }
        settings.honeycomb?.nameException(of: &record)
        addException(of: first, to: &record)
        addOutcome(of: diagnostics, to: &record)
        addCulprit(of: first, to: &record)
        record.attributes.set(AttributeKeys.revision, Int64(1))
        addUID(uid, to: &record)
        addPage(uid, to: &record)
    }

    /// Marks a record whose stack cannot be read, and leaves the stack unchanged. Its other
    /// attributes still name the exception.
    func markFailed(
        because reason: String, uid: String,
        in record: inout EncodedLogRecord
    ) {
        settings.honeycomb?.nameException(of: &record)
        record.attributes.set(names.failed, true)
        record.attributes.set(names.error, reason)
        record.attributes.set(AttributeKeys.status, SymbolicatedDiagnostic.Status.raw.rawValue)
        record.attributes.set(AttributeKeys.revision, Int64(1))
        addUID(uid, to: &record)
    }

    private func write(
        stackTraceOf diagnostics: [SymbolicatedDiagnostic], to utf8: inout [UInt8]
    ) {
        switch settings.stackFormat {
        case .text:
            let text = StackText(usesFullPaths: settings.usesFullPaths)
            for (number, diagnostic) in diagnostics.enumerated() {
                if number > 0 { utf8.append(UInt8(ascii: "\n")) }
                text.write(stacksOf: diagnostic, to: &utf8)
            }
        case .json:
            let texts = diagnostics.map(StackJSON().text(of:))
            utf8 += (texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ","))]").utf8
        }
    }

    /// Adds the exception of a crash if the record does not have it. Other diagnostics have none, even
    /// if their report names one.
    private func addException(
        of diagnostic: SymbolicatedDiagnostic,
        to record: inout EncodedLogRecord
    ) {
        guard [.crash, .unknown].contains(diagnostic.kind) else { return }
        if let name = diagnostic.exceptionName {
            record.attributes.setIfAbsent(names.exceptionType, name)
        }
        if let message = diagnostic.exceptionMessage {
            record.attributes.setIfAbsent(names.exceptionMessage, message)
        }
    }

    private func addOutcome(
        of diagnostics: [SymbolicatedDiagnostic],
        to record: inout EncodedLogRecord
    ) {
        let status = SymbolicatedDiagnostic.Status(of: diagnostics)
        let counts = diagnostics.map(\.frameCounts)
        record.attributes.set(names.failed, status == .raw)
        let reasons = diagnostics.compactMap(\.rawReasons)
        if reasons.isEmpty {
            // An earlier processor may have failed.
            record.attributes.remove(names.error)
        } else {
            record.attributes.set(names.error, reasons.joined(separator: "; "))
        }
        record.attributes.set(AttributeKeys.status, status.rawValue)
        record.attributes.set(AttributeKeys.frames, Int64(counts.reduce(0) { $0 + $1.total }))
        record.attributes.set(
            AttributeKeys.symbolicatedFrames, Int64(counts.reduce(0) { $0 + $1.resolved }))
        record.attributes.set(
            AttributeKeys.missingImages, diagnostics.flatMap(\.missingImages))
    }

    private func addCulprit(
        of diagnostic: SymbolicatedDiagnostic,
        to record: inout EncodedLogRecord
    ) {
        record.attributes.set(AttributeKeys.fingerprint, diagnostic.fingerprint)
        guard let frame = diagnostic.culpritIndex.map({ diagnostic.frames[$0] }) else { return }
        if let culprit = diagnostic.culprit {
            record.attributes.set(AttributeKeys.culprit, culprit)
        }
        if let function = frame.codeFunctionName {
            record.attributes.set(AttributeKeys.function, function)
        }
        guard let file = frame.file else { return }
        record.attributes.set(AttributeKeys.path, file.path)
        // A sender's line belongs to another file.
        for (key, number) in [
            (AttributeKeys.line, frame.line), (AttributeKeys.column, frame.column),
        ] {
            if number > 0 {
                record.attributes.set(key, Int64(number))
            } else {
                record.attributes.remove(key)
            }
        }
    }

    private func addUID(_ uid: String, to record: inout EncodedLogRecord) {
        if case .string(let text)? = record.attributes.value(of: AttributeKeys.uid), text.isEmpty {
            record.attributes.set(AttributeKeys.uid, uid)
        } else {
            record.attributes.setIfAbsent(AttributeKeys.uid, uid)
        }
    }

    /// Adds the URL of the diagnostic's page. Records without a readable stack have no page.
    private func addPage(_ uid: String, to record: inout EncodedLogRecord) {
        guard let url = settings.pagesURL else { return }
        record.attributes.set(AttributeKeys.url, url + LinkTarget(segments: ["d", uid]).text)
    }
}

extension SymbolicatedDiagnostic.Status {
    /// The status of a record with several diagnostics: raw only if all of them are.
    init(of diagnostics: [SymbolicatedDiagnostic]) {
        let statuses = Set(diagnostics.map(\.status))
        self = statuses.count == 1 ? statuses.first ?? .raw : .partial
    }
}
