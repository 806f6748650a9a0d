public import CallStacks
import JSONText
public import MetricKitPayloads
public import ReportFormats

/// Reads crash, hang and backtrace files. The format is detected from the content, never from the
/// name.
///
/// Reading never fails: unreadable ranges are listed, and damaged reports are read as far as
/// possible.
public struct CrashFileReader: Sendable {
    public var limits: PayloadLimits
    /// Identities by image name, for images without an identity in the report.
    public var identities: [String: ImageID]
    /// The image names whose ``identities`` take precedence over those in a report.
    public var overriddenNames: Set<String> = []
    /// The processes to read from a dump of the whole system.
    public var processes: ProcessFilter

    public init(
        limits: PayloadLimits = PayloadLimits(), identities: [String: ImageID] = [:],
        processes: ProcessFilter = .target
    ) {
        self.limits = limits
        self.identities = identities
        self.processes = processes
    }

    /// The text formats in order of precedence: the first one that any line identifies is used.
    static let textFormats: [any TextReportFormat.Type] = [
        SwiftTextReport.self, LeaksReport.self, SampleReport.self, SpindumpReport.self,
        AndroidReport.self, CrashText.self, SpindumpExcerpt.self, SampleExcerpt.self,
        LinuxStacks.self, OffsetList.self,
        StandaloneFrames.self,
    ]

    /// Reads a file. The last report of an incomplete file is marked as truncated.
    public func read(_ file: DecodedFile) -> CrashFile {
        var read = read(file.bytes)
        if file.damage != nil { read.markEnd() }
        return read
    }

    /// - Parameter bytes: The file, decompressed.
    public func read(_ bytes: [UInt8]) -> CrashFile {
        if let report = PLCrashReport.report(in: bytes, limits: limits) {
            var file = CrashFile(reports: [report])
            file.reports[0].identify(by: identities)
            return file
        }
        if let reason = UnreadReason(ofFile: bytes) {
            var file = CrashFile()
            file.addUnread(reason, at: 0..<bytes.count)
            return file
        }
        let end = min(bytes.count, limits.bytes)
        let context = ReadingContext(processes: processes, limits: limits)
        var parser = CrashFileParser(bytes, context: context)
        parser.read(0..<end)
        var file = parser.file
        for index in file.reports.indices { file.reports[index].identify(by: identities) }
        let overrides = identities.filter { overriddenNames.contains($0.key) }
        for index in file.reports.indices { file.reports[index].replaceIdentities(by: overrides) }
        if end < bytes.count { file.remarks.append(.sizeLimit) }
        if file.reports.isEmpty, file.unread.isEmpty {
            file.unread = [UnreadReason(ofText: bytes[..<end]).unreadPart(at: 0..<bytes.count)]
        }
        return file
    }
}
