/// A crash, hang or other event, as it was received and before it is symbolicated.
public struct Diagnostic: Hashable, Sendable {
    public var kind: DiagnosticKind
    public var details: DiagnosticDetails
    public var tree: CallStackTree
    /// What was noticed while it was read.
    public var remarks: [Remark]
    /// The images that the report lists; empty where it only names those of its frames.
    public var images: [ReportedImage] = []

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

/// What a diagnostic says besides its stacks. Each part is `nil` where it was not sent.
public struct DiagnosticDetails: Hashable, Sendable {
    public var appVersion: String?
    public var appBuild: String?
    public var bundleIdentifier: String?
    public var osVersion: String?
    public var deviceType: String?
    /// The architecture by its name, such as `arm64e`.
    public var architecture: String?
    /// The Mach exception's number, such as 1 for `EXC_BAD_ACCESS`.
    public var exceptionType: UInt64?
    public var exceptionCode: UInt64?
    /// The signal's number, such as 11 for `SIGSEGV`.
    public var signal: UInt64?
    public var terminationReason: String?
    public var virtualMemoryRegion: String?
    /// The name and message of an Objective-C exception that nobody caught.
    public var objectiveCExceptionName: String?
    public var objectiveCExceptionMessage: String?
    /// How long it hung, computed or launched, or how much it wrote, as received: `3 sec`.
    public var measurement: String?
    /// What the process is called, where that is another name than the app's.
    public var processName: String?
    /// The exception as the report words it, where its number is not known: `EXC_SOMETHING_NEW`.
    public var exceptionName: String?
    /// What is said of the exception beyond its type: `KERN_INVALID_ADDRESS at 0x0000000000000008`.
    public var exceptionSubtype: String?
    /// What the runtime said when it stopped the process: the message of an exception, or of a Swift
    /// fatal error.
    public var runtimeMessage: String?
    /// What libraries left behind for whoever reads the report.
    public var applicationMessages: [String] = []
    /// The end of the period that the payload covers, as received.
    public var timestamp: String?
    /// What only reports of Apple's have, in their words.
    public var fields: [ReportField: String] = [:]
    public var registers: Registers?
    /// What else the report says, in its order.
    public var sections: [ReportSection] = []

    public init() {}
}
