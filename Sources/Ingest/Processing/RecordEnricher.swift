import CallStacks
import HTMLText
import MetricKitPayloads
import OTLP
import ReportFormats
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
    /// The received names of attributes that differ from the usual names, by usual name.
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
            // Only this value would be overwritten: the record keeps its other attributes.
            let received = receivedNames[stackAttribute] ?? stackAttribute
            let isReplaced = record.attributes.value(of: output) != nil
            record.attributes.copyValue(of: isReplaced ? output : received, to: names.original)
        }
        record.attributes.set(output) {
            write(stackTraceOf: diagnostics, to: &$0)
        }
        guard !diagnostics.isEmpty else { return }
        settings.honeycomb?.nameException(of: &record)
        add(resultOf: diagnostics, to: &record)
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

    private func add(
        resultOf diagnostics: [SymbolicatedDiagnostic], to record: inout EncodedLogRecord
    ) {
        for (key, change) in ResultAttributes(of: diagnostics, names: names.ofResults).changes {
            switch change {
            case .text(let text): record.attributes.set(key, text)
            case .missingText(let text): record.attributes.setIfAbsent(key, text)
            case .number(let number): record.attributes.set(key, Int64(number))
            case .flag(let isTrue): record.attributes.set(key, isTrue)
            case .texts(let texts): record.attributes.set(key, texts)
            case .removal: record.attributes.remove(key)
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

extension HoneycombContract {
    fileprivate var ofResults: ResultAttributes.Names {
        var names = ResultAttributes.Names()
        names.exceptionType = exceptionType
        names.exceptionMessage = exceptionMessage
        names.failed = failed
        names.error = error
        return names
    }
}
