import CallStacks
import Ingest
import MetricKitSignals
import Pages
import Redaction
import StackRendering

extension GroupRow {
    /// The number of days of a sparkline.
    private static let sparklineDays = 30

    init(
        _ group: DiagnosticGroup, days: Int = sparklineDays, redaction: RedactionLevel,
        now: UnixTime
    ) {
        self.init(
            app: group.app, fingerprint: group.fingerprint, title: group.title(redaction),
            kind: group.kind, count: group.diagnosticCount, lastSeen: group.lastSeen)
        culprit = group.culprit ?? group.exceptionName
        versions = group.versions.reversed().compactMap(\.version)
        self.days = group.counts(ofLastDays: days, now: now)
        trend = group.trend.map { $0 == .new ? .new : .back }
        isRaw = group.isRaw
    }
}

extension DiagnosticRow {
    init(_ record: DiagnosticRecord) {
        self.init(
            uid: record.uid, status: record.status,
            app: record.app, version: record.version, build: record.build, time: record.arrival,
            frames: (record.symbolicatedFrameCount, record.frameCount))
    }
}

extension DiagnosticGroup {
    /// Returns the event and its location, redacted.
    func title(_ redaction: RedactionLevel) -> String {
        let exception = exceptionMessage.map { redaction.redacted(message: $0) } ?? exceptionName
        // Groups of earlier versions may have an empty name.
        let cause = exception.flatMap { $0.isEmpty ? nil : $0 } ?? kind.words
        return culprit.map { "\(cause) — \($0)" } ?? cause
    }

    /// Returns the numbers of diagnostics on the last days, oldest first. The last one is today's.
    fileprivate func counts(ofLastDays count: Int, now: UnixTime) -> [Int] {
        var counts = Array(repeating: 0, count: count)
        let today = now.day
        for day in days where (0..<Int64(count)).contains(today - day.day) {
            counts[count - 1 - Int(today - day.day)] = day.diagnosticCount
        }
        return counts
    }
}
