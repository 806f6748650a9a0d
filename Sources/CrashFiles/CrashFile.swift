public import CallStacks
public import MetricKitPayloads

/// Everything that was found in one file, in its order.
public struct CrashFile: Sendable {
    public var reports: [CrashReport]
    /// Parts that nothing could be made of.
    public var unread: [UnreadPart]
    /// What was noticed about the file as a whole.
    public var remarks: [Remark]
    /// Whether it holds a report of a kind that is known and not read.
    public var holdsRefusedReport = false

    public init(
        reports: [CrashReport] = [], unread: [UnreadPart] = [], remarks: [Remark] = []
    ) {
        self.reports = reports
        self.unread = unread
        self.remarks = remarks
    }

    mutating func refuse(_ refusal: Refusal, at range: Range<Int>) {
        unread.append(refusal.part(range))
        if refusal.isReport { holdsRefusedReport = true }
    }

    /// Marks the last report as one that breaks off.
    mutating func markEnd() {
        if !reports.isEmpty { reports[reports.count - 1].isCut = true }
    }
}
