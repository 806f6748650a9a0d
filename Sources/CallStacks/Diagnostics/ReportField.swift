/// A line before the stacks of Apple's reports from which nothing else is derived. It is kept
/// verbatim, so that the report can be written in that form again.
///
/// The raw values are the labels in such a report.
public enum ReportField: String, Hashable, Sendable, CaseIterable {
    case incident = "Incident Identifier"
    case reporterKey = "CrashReporter Key"
    /// `Orchard [4711]`
    case process = "Process"
    case path = "Path"
    /// `ARM-64 (Native)`
    case codeType = "Code Type"
    case role = "Role"
    /// `launchd [1]`
    case parentProcess = "Parent Process"
    case coalition = "Coalition"
    case responsible = "Responsible"
    case userID = "User ID"
    case launchTime = "Launch Time"
    case releaseType = "Release Type"
    case basebandVersion = "Baseband Version"
    case sleepWake = "Sleep/Wake UUID"
    case timeAwake = "Time Awake Since Boot"
    case timeSinceWake = "Time Since Wake"
    case integrityProtection = "System Integrity Protection"
    /// `0x0000000000000001, 0x0000000000000010`
    case exceptionCodes = "Exception Codes"
    /// `(Limit 50%) Observed 60% over 180 secs`
    case exceptionMessage = "Exception Message"
    /// `NON-FATAL CONDITION (this is NOT a crash)`
    case exceptionNote = "Exception Note"
    /// Lines with the reason why the process ended, and its run time.
    case terminationDescription = "Termination Description"
    case terminatingProcess = "Terminating Process"
    /// The kernel's lines about the process.
    case kernelTriage = "Kernel Triage"
}
