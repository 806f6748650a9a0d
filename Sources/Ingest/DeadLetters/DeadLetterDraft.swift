/// A batch that is about to become a dead letter, and the reason.
struct DeadLetterDraft: Sendable {
    var batch: ExportBatch
    var reason: String
    /// The number of rejected records of an accepted batch, or `nil` if the batch was refused.
    var rejectedCount: Int64?

    /// The number of rejected records if others of the batch were accepted, or `nil` otherwise.
    var partialRejectionCount: Int? {
        guard let rejectedCount else { return nil }
        // Of metrics, data points are rejected one by one.
        let isWhole = batch.signal != .metrics && rejectedCount >= batch.recordCount
        return isWhole ? nil : Int(clamping: rejectedCount)
    }
}
