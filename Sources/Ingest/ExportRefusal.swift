/// What becomes a dead letter, and why.
struct ExportRefusal: Sendable {
    var batch: ExportBatch
    var reason: String
    /// How many records were rejected of a batch that was taken; `nil` where the batch was refused.
    var rejectedCount: Int64?

    /// How many records were rejected while others of the batch were taken.
    var rejectedPart: Int? {
        guard let rejectedCount else { return nil }
        // Spans and data points are not counted when they come in.
        let isWhole = batch.signal == .logs && rejectedCount >= batch.recordCount
        return isWhole ? nil : Int(clamping: rejectedCount)
    }
}
