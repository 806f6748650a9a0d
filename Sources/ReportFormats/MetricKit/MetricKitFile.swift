package import CallStacks
package import MetricKitPayloads

/// Reads the output of MetricKit and of OpenTelemetry exporters: payloads, diagnostics, trees, and
/// log records that contain them.
package struct MetricKitFile {
    private let reader: PayloadReader

    /// - Parameter reports: See ``MetricKitPayloads/PayloadReader/reports``.
    package init(
        limits: PayloadLimits,
        reports: (@Sendable (_ stack: [UInt8], _ limits: PayloadLimits) -> [Diagnostic])?
    ) {
        var reader = PayloadReader(limits: limits, readsNames: true)
        reader.reports = reports
        self.reader = reader
    }

    package func read(_ bytes: [UInt8], in range: Range<Int>, into file: inout CrashFile) {
        let payload = reader.read(bytes, in: range)
        file.remarks += payload.remarks
        for element in payload.elements {
            for (number, diagnostic) in element.diagnostics.enumerated() {
                file.reports.append(
                    CrashReport(
                        .metricKit, range: diagnostic.range, content: .received(diagnostic),
                        rewriter: rewriter(
                            of: diagnostic, number: number, in: element, bytes: bytes)))
            }
            file.unread += element.unread
            file.remarks += element.remarks
        }
    }

    /// - Parameter number: The diagnostic's index. For a record with several, only the first is
    ///   written.
    private func rewriter(
        of diagnostic: ReceivedDiagnostic, number: Int, in element: PayloadElement,
        bytes: [UInt8]
    ) -> (any ReportRewriter)? {
        // Frames read from a string inside the file cannot be changed.
        guard bytes[element.range].first == UInt8(ascii: "{") else { return nil }
        guard let attribute = element.stackAttribute else {
            return TreeRewriter(bytes: bytes, diagnostic: diagnostic, limits: reader.limits)
        }
        guard number == 0 else { return nil }
        return OTLPRecordRewriter(bytes: bytes, range: element.range, stackAttribute: attribute)
    }
}
