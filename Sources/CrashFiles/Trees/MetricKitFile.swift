import MetricKitPayloads

/// Reads what MetricKit and OpenTelemetry's exporters write: payloads, diagnostics, trees, and log
/// records that carry them.
struct MetricKitFile {
    let limits: PayloadLimits

    func read(_ bytes: [UInt8], in range: Range<Int>, into file: inout CrashFile) {
        let payload = PayloadReader(limits: limits, readsNames: true).read(bytes, in: range)
        file.remarks += payload.remarks
        for element in payload.elements {
            for (number, diagnostic) in element.diagnostics.enumerated() {
                file.reports.append(
                    CrashReport(
                        .metricKit, range: diagnostic.range, content: .received(diagnostic),
                        rewriting: rewriting(of: diagnostic, number, in: element, bytes)))
            }
            file.unread += element.unread
            file.remarks += element.remarks
        }
    }

    /// - Parameter number: Of a record with several diagnostics, the first one stands for all.
    private func rewriting(
        of diagnostic: ReceivedDiagnostic, _ number: Int, in element: PayloadElement,
        _ bytes: [UInt8]
    ) -> (any ReportRewriting)? {
        // What was read from a string inside of the file has no frames there that can be changed.
        guard bytes[element.range].first == UInt8(ascii: "{") else { return nil }
        guard let attribute = element.stackAttribute else {
            return TreeRewriting(bytes: bytes, diagnostic: diagnostic, limits: limits)
        }
        guard number == 0 else { return nil }
        return LogRecordRewriting(bytes: bytes, range: element.range, stackAttribute: attribute)
    }
}
