public import CallStacks
import JSONText
public import MetricKitPayloads

/// Reads whatever crash, hang or backtrace file a person has. What a file is, is told by its
/// content and never by its name.
///
/// Nothing is refused: what cannot be read is listed with its reason, and a damaged report is read
/// as far as it goes.
public struct CrashFileReader: Sendable {
    public var limits: PayloadLimits
    /// Identities of images by their names, for reports that name images without one.
    public var identities: [String: ImageID]
    /// The names for which ``identities`` count more than what a report states.
    public var overriddenNames: Set<String> = []
    /// Which processes are read of a dump of the whole system.
    public var processes: ProcessChoice

    public init(
        limits: PayloadLimits = PayloadLimits(), identities: [String: ImageID] = [:],
        processes: ProcessChoice = .target
    ) {
        self.limits = limits
        self.identities = identities
        self.processes = processes
    }

    /// The formats that are JSON values, in the order in which they are tried.
    static let jsonFormats: [any JSONReportReading.Type] = [
        IPSReport.self, SwiftObjectReport.self, KSCrashReport.self, AppStoreConnectReport.self,
        RefusedReport.self,
    ]
    /// The formats that are text. The first anchor of the earliest one wins.
    static let textFormats: [any TextReportReading.Type] = [
        SwiftTextReport.self, SampleReport.self, SpindumpReport.self, AndroidReport.self,
        CrashText.self, SpindumpExcerpt.self, OffsetList.self, BareFrames.self,
    ]

    /// Reads what is there of a file; the last report of one that is not whole is marked.
    public func read(_ file: UnwrappedFile) -> CrashFile {
        var read = read(file.bytes)
        if file.damage != nil { read.markEnd() }
        return read
    }

    /// - Parameter bytes: The file, without compression.
    public func read(_ bytes: [UInt8]) -> CrashFile {
        if let refusal = Refusal(ofFile: bytes) {
            var file = CrashFile()
            file.refuse(refusal, at: 0..<bytes.count)
            return file
        }
        let end = min(bytes.count, limits.bytes)
        let context = ReadingContext(processes: processes, limits: limits)
        var reading = FileReading(bytes, context: context)
        reading.read(0..<end)
        var file = reading.file
        for index in file.reports.indices { file.reports[index].identify(by: identities) }
        let overrides = identities.filter { overriddenNames.contains($0.key) }
        for index in file.reports.indices { file.reports[index].overrides = overrides }
        if end < bytes.count { file.remarks.append(.sizeLimit) }
        if file.reports.isEmpty, file.unread.isEmpty {
            file.unread = [Refusal(ofText: bytes[..<end]).part(0..<bytes.count)]
        }
        return file
    }
}
