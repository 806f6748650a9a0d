/// What kind of file a report came in.
///
/// The raw values are stable: programs read them.
public enum CrashFormat: String, Hashable, Sendable, CaseIterable {
    /// Apple's `.ips`: a line of JSON, and a report in JSON.
    case ips
    /// Apple's `.crash` text, and what PLCrashReporter and KSCrash write like it.
    case crashText = "crash_text"
    case spindump
    /// What the `sample` tool prints.
    case sample
    /// MetricKit payloads, call-stack trees, and OTLP log records that carry them.
    case metricKit = "metrickit"
    /// Logs of diagnostic signatures from App Store Connect, and what the Organizer exports.
    case appStoreConnect = "app_store_connect"
    case ksCrash = "kscrash"
    case swiftText = "swift_text"
    case swiftJSON = "swift_json"
    case androidText = "android_text"
    /// Lines of frames without a report around them.
    case bareFrames = "bare_frames"
    /// Lines of an identity and an offset.
    case offsetList = "offset_list"
}
