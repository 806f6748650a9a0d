import OTLP

extension ExportBatch {
    /// Returns two batches with half of the records each, or `nil` for a single record or an
    /// unreadable body.
    func halves() -> (ExportBatch, ExportBatch)? {
        switch signal {
        case .logs: halves(of: ExportLogsServiceRequest.self)
        case .traces: halves(of: ExportTraceServiceRequest.self)
        case .metrics: halves(of: ExportMetricsServiceRequest.self)
        }
    }

    private func halves<Request: DivisibleRequest>(
        of _: Request.Type
    ) -> (ExportBatch, ExportBatch)? {
        do throws(OTLPError) {
            let whole = try Request(decoding: body, as: .protobuf)
            let count = RequestRecords(of: body).count
            guard count > 1 else { return nil }
            return (
                try batch(of: whole, 0..<count / 2), try batch(of: whole, count / 2..<count)
            )
        } catch { return nil }
    }

    private func batch(
        of whole: some DivisibleRequest, _ positions: Range<Int>
    ) throws(OTLPError) -> ExportBatch {
        var request = whole
        request.keepRecords { positions.contains($0) }
        return ExportBatch(
            signal: signal, body: try request.encoded(as: .protobuf),
            recordCount: positions.count, arrival: arrival)
    }
}
