import CallStacks
import JSONText
import MetricKitPayloads

/// Logs of diagnostic signatures, as App Store Connect answers them, and one such log alone, as the
/// Organizer exports it.
///
/// Their trees are those of MetricKit in lists, with strings for numbers and with names.
enum AppStoreConnectReport: JSONReportReading {
    static func fits(_ root: JSONValue) -> Bool {
        root["productData"]?.kind == .array || root["callStackTree"]?.kind == .array
    }

    static func read(_ part: JSONPart, into file: inout CrashFile) {
        guard let products = part.root["productData"], products.kind == .array else {
            add(part.root, label: nil, of: part, to: &file)
            return
        }
        for product in products.elements {
            let logs = product["diagnosticLogs"].map { Array($0.elements) } ?? []
            for (number, log) in zip(1..., logs) {
                guard file.reports.count < part.context.limits.elements else {
                    file.remarks.append(.sizeLimit)
                    return
                }
                let signature = product["signatureId"]?.string.map { "\($0), " } ?? ""
                add(log, label: "\(signature)log \(number)", of: part, to: &file)
            }
        }
    }

    private static func add(
        _ log: JSONValue, label: String?, of part: JSONPart, to file: inout CrashFile
    ) {
        let limits = part.context.limits
        let reader = PayloadReader(limits: limits, readsNames: true)
        guard log.kind == .object,
            let diagnostic = reader.diagnostic(
                in: log, kind: kind(of: log), failure: part.document.failure)
        else {
            let failure = log.isWhole ? nil : part.document.failure
            file.unread.append(
                UnreadPart(
                    range: log.range, remark: failure.flatMap { _ in part.damage } ?? .unknownShape,
                    explanation: failure?.description
                        ?? "diagnosticLogs: holds something that is no diagnostic"))
            return
        }
        file.reports.append(
            CrashReport(
                .appStoreConnect, range: log.range, label: label, content: .received(diagnostic),
                rewriting: TreeRewriting(
                    bytes: part.document.bytes, diagnostic: diagnostic, limits: limits)))
    }

    /// What the log's `event` says; `nil` where it says nothing known, so that its fields may.
    private static func kind(of log: JSONValue) -> DiagnosticKind? {
        guard let event = log["diagnosticMetaData"]?["event"]?.string?.lowercased()
        else { return nil }
        return kinds.first { event.contains($0.word) }?.kind
    }

    private static let kinds: [(word: String, kind: DiagnosticKind)] = [
        ("hang", .hang), ("disk", .diskWriteException), ("write", .diskWriteException),
        ("launch", .appLaunch), ("cpu", .cpuException), ("crash", .crash),
    ]
}
