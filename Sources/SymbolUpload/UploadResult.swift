public import CallStacks

/// What happens during an upload.
public enum UploadEvent: Sendable {
    case started(slices: Int)
    /// So much more was handed to the network.
    case sent(bytes: Int)
    case finished(UploadRow)
    case waiting(slices: Int)
}

/// What became of an upload.
public struct UploadResult: Sendable {
    /// A row a slice, in the order of the inputs.
    public internal(set) var rows: [UploadRow]
    /// Required images that nobody has debug information of.
    public internal(set) var unmet: [RequiredImage] = []
    /// What was sent and is not indexed yet, though that was waited for.
    public internal(set) var unindexed: [ImageID] = []
    /// Why it ended early: the server refused, or could not be reached.
    public internal(set) var ending: ServerError?

    public var hasFailures: Bool { rows.contains { $0.status == .failed } || !unmet.isEmpty }

    /// Rows of slices that the run does not come to.
    init(_ inputs: UploadInputs) {
        rows = inputs.slices.map { UploadRow($0, .failed, "was not sent") }
    }

    mutating func set(
        _ place: Int, _ status: UploadRow.Status, _ tell: (UploadEvent) -> Void
    ) {
        rows[place].status = status
        rows[place].reason = nil
        tell(.finished(rows[place]))
    }
}
