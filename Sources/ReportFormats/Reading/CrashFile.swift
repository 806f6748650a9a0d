public import CallStacks
public import MetricKitPayloads

/// The reports and unread parts of one file, in the order of the file.
public struct CrashFile: Sendable {
    public var reports: [CrashReport]
    /// Ranges that could not be read.
    public var unread: [UnreadPart]
    /// Remarks about the file as a whole.
    public var remarks: [Remark]
    /// Whether the file contains a report of a known kind that is not supported.
    public var hasUnsupportedReport = false
    /// The texts that were read without their surroundings. ``reports`` contains their reports.
    package var embeddedTexts: [EmbeddedText] = []

    public init(
        reports: [CrashReport] = [], unread: [UnreadPart] = [], remarks: [Remark] = []
    ) {
        self.reports = reports
        self.unread = unread
        self.remarks = remarks
    }

    package mutating func addUnread(_ reason: UnreadReason, at range: Range<Int>) {
        unread.append(reason.unreadPart(at: range))
        if reason.isReport { hasUnsupportedReport = true }
    }

    /// Marks the last report as truncated.
    package mutating func markEnd() {
        if !reports.isEmpty { reports[reports.count - 1].isTruncated = true }
    }
}
