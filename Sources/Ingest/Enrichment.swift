import CallStacks
import OTLP
import StackRendering
import Symbolication

/// What a record gains when its diagnostics are symbolicated.
///
/// The record keeps everything that it came with but `exception.stacktrace`, whose text as received
/// moves to `exception.stacktrace.original`.
struct Enrichment {
    let settings: EnrichmentSettings

    /// - Parameters:
    ///   - diagnostics: What the record held, at least one; of several the first gives the title.
    ///   - stackAttribute: The attribute that held them.
    func apply(
        _ diagnostics: [SymbolicatedDiagnostic], from stackAttribute: String, uid: String,
        revision: Int, to record: inout OTLP.LogRecord
    ) {
        if settings.keepsOriginal, record.attributes[AttributeKeys.original] == nil {
            record.attributes[AttributeKeys.original] = record.attributes[stackAttribute]
        }
        record.attributes.set(AttributeKeys.stackTrace, stackTrace(of: diagnostics))
        guard let first = diagnostics.first else { return }
        addException(of: first, to: &record)
        addOutcome(of: diagnostics, to: &record)
        addCulprit(of: first, to: &record)
        record.attributes.set(AttributeKeys.revision, Int64(revision))
        addUID(uid, to: &record)
    }

    /// Marks a record that holds a stack which nobody understands. It goes out as it came.
    func markFailed(
        because reason: String, uid: String,
        in record: inout OTLP.LogRecord
    ) {
        record.attributes.set(AttributeKeys.failed, true)
        record.attributes.set(AttributeKeys.error, reason)
        record.attributes.set(AttributeKeys.status, SymbolicatedDiagnostic.Status.raw.rawValue)
        record.attributes.set(AttributeKeys.revision, Int64(1))
        addUID(uid, to: &record)
    }

    private func stackTrace(of diagnostics: [SymbolicatedDiagnostic]) -> String {
        switch settings.stackFormat {
        case .text:
            let text = StackText(usesFullPaths: settings.usesFullPaths)
            return diagnostics.map(text.stacks(of:)).joined(separator: "\n")
        case .json:
            let texts = diagnostics.map(StackJSON().text(of:))
            return texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ","))]"
        }
    }

    /// Names the exception where the record does not: only of a crash it is known what it was.
    private func addException(
        of diagnostic: SymbolicatedDiagnostic,
        to record: inout OTLP.LogRecord
    ) {
        if let name = diagnostic.exceptionName {
            record.attributes.setIfAbsent(AttributeKeys.exceptionType, name)
        }
        if let message = diagnostic.exceptionMessage {
            record.attributes.setIfAbsent(AttributeKeys.exceptionMessage, message)
        }
    }

    private func addOutcome(
        of diagnostics: [SymbolicatedDiagnostic],
        to record: inout OTLP.LogRecord
    ) {
        let status = SymbolicatedDiagnostic.Status(of: diagnostics)
        let counts = diagnostics.map(\.frameCounts)
        record.attributes.set(AttributeKeys.failed, status == .raw)
        let reasons = diagnostics.compactMap(\.rawReasons)
        if !reasons.isEmpty {
            record.attributes.set(AttributeKeys.error, reasons.joined(separator: "; "))
        }
        record.attributes.set(AttributeKeys.status, status.rawValue)
        record.attributes.set(AttributeKeys.frames, Int64(counts.reduce(0) { $0 + $1.total }))
        record.attributes.set(
            AttributeKeys.symbolicatedFrames, Int64(counts.reduce(0) { $0 + $1.resolved }))
        record.attributes[AttributeKeys.missingImages] =
            .strings(diagnostics.flatMap(\.missingImages))
    }

    private func addCulprit(
        of diagnostic: SymbolicatedDiagnostic,
        to record: inout OTLP.LogRecord
    ) {
        record.attributes.set(AttributeKeys.fingerprint, diagnostic.fingerprint)
        guard let row = diagnostic.culpritRow.map({ diagnostic.frames[$0] }) else { return }
        if let culprit = diagnostic.culprit {
            record.attributes.set(AttributeKeys.culprit, culprit)
        }
        if let function = row.codeFunctionName {
            record.attributes.set(AttributeKeys.function, function)
        }
        if let file = row.file { record.attributes.set(AttributeKeys.path, file.path) }
        if row.line > 0 { record.attributes.set(AttributeKeys.line, Int64(row.line)) }
        if row.column > 0 { record.attributes.set(AttributeKeys.column, Int64(row.column)) }
    }

    private func addUID(_ uid: String, to record: inout OTLP.LogRecord) {
        record.attributes.setIfAbsent(AttributeKeys.uid, uid)
    }
}

extension SymbolicatedDiagnostic.Status {
    /// Of several diagnostics of one record: raw only where all are.
    init(of diagnostics: [SymbolicatedDiagnostic]) {
        let statuses = Set(diagnostics.map(\.status))
        self = statuses.count == 1 ? statuses.first ?? .raw : .partial
    }
}
