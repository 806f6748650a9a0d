/// A crash, hang or other event, as received and not yet symbolicated.
public struct Diagnostic: Hashable, Sendable {
    public var kind: DiagnosticKind
    public var details: DiagnosticDetails
    public var tree: CallStackTree
    /// Remarks made while it was read.
    public var remarks: [Remark]
    /// The images that the report lists; empty if it only identifies those of its frames.
    public var images: [ListedImage] = []

    public init(
        kind: DiagnosticKind, details: DiagnosticDetails = DiagnosticDetails(),
        tree: CallStackTree, remarks: [Remark] = []
    ) {
        self.kind = kind
        self.details = details
        self.tree = tree
        self.remarks = remarks
    }
}

/// The facts of a diagnostic other than its stacks. Each one is `nil` if the report does not
/// contain it.
public struct DiagnosticDetails: Hashable, Sendable {
    public var appVersion: String?
    public var appBuild: String?
    public var bundleIdentifier: String?
    public var osVersion: String?
    public var deviceType: String?
    /// The name of the architecture, such as `arm64e`.
    public var architecture: String?
    /// The Mach exception's number, such as 1 for `EXC_BAD_ACCESS`.
    public var exceptionType: UInt64?
    public var exceptionCode: UInt64?
    /// The signal's number, such as 11 for `SIGSEGV`.
    public var signal: UInt64?
    public var terminationReason: String?
    public var virtualMemoryRegion: String?
    /// The name and message of an uncaught Objective-C exception.
    public var objectiveCExceptionName: String?
    public var objectiveCExceptionMessage: String?
    /// The duration of the hang, computation or launch, or the bytes written, as received: `3 sec`.
    public var measurement: String?
    /// The name of the process, if it differs from the app's.
    public var processName: String?
    /// The exception's name in the report, if its number is unknown: `EXC_SOMETHING_NEW`.
    public var exceptionName: String?
    /// The exception's details beyond its type: `KERN_INVALID_ADDRESS at 0x0000000000000008`.
    public var exceptionSubtype: String?
    /// The runtime's message when it stopped the process: that of an exception, or of a Swift fatal
    /// error.
    public var runtimeMessage: String?
    /// Messages that libraries left for readers of the report.
    public var applicationMessages: [String] = []
    /// The end of the period that the payload covers, as received.
    public var timestamp: String?
    /// Fields that only Apple's reports have, verbatim.
    public var fields: [ReportField: String] = [:]
    public var registers: Registers?
    /// The other sections of the report, in order.
    public var sections: [ReportSection] = []

    public init() {}
}
