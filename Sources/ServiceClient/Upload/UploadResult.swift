public import CallStacks

/// A step of an upload.
public enum UploadEvent: Sendable {
    case started(slices: Int)
    /// More bytes were passed to the network.
    case sent(bytes: Int)
    case finished(UploadRow)
    case waiting(slices: Int)
}

/// The result of an upload.
public struct UploadResult: Sendable {
    /// One row for each slice, in the order of the inputs.
    public internal(set) var rows: [UploadRow]
    /// Required images for which neither the inputs nor the server have debug information.
    public internal(set) var unmet: [RequiredImage] = []
    /// Images that were sent but not indexed before the waiting time was up.
    public internal(set) var unindexed: [ImageID] = []
    /// Why the upload ended early: the server refused access, or could not be reached.
    public internal(set) var ending: ServerRequestError?

    public var hasFailures: Bool { rows.contains { $0.status == .failed } || !unmet.isEmpty }

    /// Starts with every slice as not sent.
    init(_ inputs: UploadInputs) {
        rows = inputs.slices.map { UploadRow($0, status: .failed, reason: "was not sent") }
    }

    mutating func set(
        _ index: Int, status: UploadRow.Status, _ tell: (UploadEvent) -> Void
    ) {
        rows[index].status = status
        rows[index].reason = nil
        tell(.finished(rows[index]))
    }
}
