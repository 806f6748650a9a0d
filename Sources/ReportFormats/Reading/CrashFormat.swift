/// The format of a report.
///
/// The raw values are stable, because programs read them.
public enum CrashFormat: String, Hashable, Sendable, CaseIterable {
    /// Apple's `.ips`: a header line of JSON, then a report in JSON.
    case ips
    /// Apple's `.crash` text, and similar text by PLCrashReporter and KSCrash.
    case crashText = "crash_text"
    case spindump
    /// Stackshots, and reports of the system watchdog.
    case stackshot
    /// Reports of processes that were ended to free memory.
    case jetsam
    /// Output of the `sample` tool.
    case sample
    /// Output of `leaks` and `malloc_history`.
    case leaks
    /// MetricKit payloads, call-stack trees, and OTLP log records that contain them.
    case metricKit = "metrickit"
    /// Logs of diagnostic signatures from App Store Connect, and exports of the Organizer.
    case appStoreConnect = "app_store_connect"
    case ksCrash = "kscrash"
    /// Sentry events with native images.
    case sentryEvent = "sentry_event"
    /// Binary PLCrashReporter reports.
    case plcrash
    case swiftText = "swift_text"
    case swiftJSON = "swift_json"
    case androidText = "android_text"
    /// AddressSanitizer, ThreadSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer reports.
    case sanitizer
    /// Output of `coredumpctl info`.
    case coreDump = "core_dump"
    /// Lines of glibc's `backtrace_symbols`.
    case glibcBacktrace = "glibc_backtrace"
    /// Stacks printed by gdb.
    case gdb
    /// Stacks printed by lldb.
    case lldb
    /// Samples printed by `perf script`.
    case perfScript = "perf_script"
    /// Errors found by Valgrind's tools.
    case valgrind
    /// Stacks printed by Boost.Stacktrace.
    case boostStacktrace = "boost_stacktrace"
    /// Stacks printed by the signal handlers of glog and Abseil.
    case glog
    case rustPanic = "rust_panic"
    case goPanic = "go_panic"
    /// Frame lines without a report around them.
    case standaloneFrames = "bare_frames"
    /// Lines of an identity and an offset.
    case offsetList = "offset_list"
}
