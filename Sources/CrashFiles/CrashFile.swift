public import CallStacks
public import MetricKitPayloads

/// Everything that was found in one file, in its order.
public struct CrashFile: Sendable {
    public var reports: [CrashReport]
    /// Parts that nothing could be made of.
    public var unread: [UnreadPart]
    /// What was noticed about the file as a whole.
    public var remarks: [Remark]

    public init(
        reports: [CrashReport] = [], unread: [UnreadPart] = [], remarks: [Remark] = []
    ) {
        self.reports = reports
        self.unread = unread
        self.remarks = remarks
    }
}
