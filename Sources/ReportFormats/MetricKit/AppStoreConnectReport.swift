import CallStacks
package import JSONText
import MetricKitPayloads
import Problems

/// Logs of diagnostic signatures: responses of App Store Connect, or one log exported by the
/// Organizer.
///
/// Their trees are like MetricKit's, but in lists, with names, and with strings instead of numbers.
package enum AppStoreConnectReport: JSONReportFormat {
    package static func fits(_ root: JSONValue) -> Bool {
        root["productData"]?.kind == .array || root["callStackTree"]?.kind == .array
    }

    package static func read(_ input: JSONReportInput, into file: inout CrashFile) {
        guard let products = input.root["productData"], products.kind == .array else {
            add(input.root, label: nil, isOfService: false, of: input, to: &file)
            return
        }
        for product in products.elements {
            let logs = product["diagnosticLogs"].map { Array($0.elements) } ?? []
            for (number, log) in zip(1..., logs) {
                guard file.reports.count < input.context.limits.elements else {
                    file.remarks.append(.sizeLimit)
                    return
                }
                let signature = product["signatureId"]?.string.map { "\($0), " } ?? ""
                add(
                    log, label: "\(signature)log \(number)", isOfService: true, of: input, to: &file
                )
            }
        }
    }

    /// - Parameter isOfService: Whether the log is from App Store Connect, which has samples of hangs,
    ///   launches and disk writes only.
    private static func add(
        _ log: JSONValue, label: String?, isOfService: Bool, of input: JSONReportInput,
        to file: inout CrashFile
    ) {
        let limits = input.context.limits
        let reader = PayloadReader(limits: limits, readsNames: true)
        guard log.kind == .object,
            let diagnostic = reader.diagnostic(
                in: log, kind: kind(of: log), isSampled: isOfService,
                failure: input.document.failure)
        else {
            let failure = log.isWhole ? nil : input.document.failure
            file.unread.append(
                UnreadPart(
                    range: log.range,
                    remark: failure.flatMap { _ in input.damage } ?? .unknownShape,
                    problem: failure?.problem
                        ?? Problem(
                            "diagnosticLogs", detail: "has an element that is not a diagnostic")))
            return
        }
        file.reports.append(
            CrashReport(
                .appStoreConnect, range: log.range, label: label, content: .received(diagnostic),
                rewriter: TreeRewriter(
                    bytes: input.document.bytes, diagnostic: diagnostic, limits: limits)))
    }

    /// Returns the kind in the log's `event`, or `nil` if it is unknown and the fields decide.
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
