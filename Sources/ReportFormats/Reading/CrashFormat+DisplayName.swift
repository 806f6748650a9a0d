extension CrashFormat {
    /// The name of the format in messages.
    public var displayName: String {
        switch self {
        case .ips: "Apple's .ips"
        case .crashText: ".crash text"
        case .spindump: "spindump and hang text"
        case .stackshot: "stackshots"
        case .jetsam: "jetsam reports"
        case .sample: "sample output"
        case .leaks: "leaks output"
        case .metricKit: "MetricKit or OTLP JSON"
        case .appStoreConnect: "App Store Connect logs"
        case .ksCrash: "KSCrash JSON"
        case .sentryEvent: "Sentry events"
        case .plcrash: "binary .plcrash"
        case .swiftText: "Swift backtraces"
        case .swiftJSON: "Swift backtraces as JSON"
        case .androidText: "Android tombstones"
        case .sanitizer: "sanitizer reports"
        case .coreDump: "coredumpctl"
        case .glibcBacktrace: "backtrace_symbols"
        case .gdb: "gdb"
        case .lldb: "lldb"
        case .perfScript: "perf script"
        case .valgrind: "Valgrind"
        case .boostStacktrace: "Boost"
        case .glog: "glog"
        case .rustPanic: "Rust panics"
        case .goPanic: "Go panics"
        case .standaloneFrames: "callStackSymbols"
        case .offsetList: "lines of 'UUID OFFSET'"
        }
    }

    /// The names of all formats, for messages about unsupported files:
    /// `Apple's .ips, … or lines of …`.
    ///
    /// Every start of the command line tool builds its help with this text, so it does not use
    /// `joined`, which would make the runtime search all protocol conformances of the program
    /// first.
    public static let allDisplayNames: String = {
        var names = ""
        for (number, format) in allCases.enumerated() {
            if number > 0 { names += number == allCases.count - 1 ? " or " : ", " }
            names += format.displayName
        }
        return names
    }()

    /// Whether reports of this format occur in logs, between unrelated lines.
    public var occursInLogs: Bool {
        switch self {
        case .swiftText, .swiftJSON, .sanitizer, .coreDump, .glibcBacktrace, .gdb, .lldb,
            .perfScript, .valgrind, .boostStacktrace, .glog, .rustPanic, .goPanic:
            true
        case .ips, .crashText, .spindump, .stackshot, .jetsam, .sample, .leaks, .metricKit,
            .appStoreConnect,
            .ksCrash, .sentryEvent, .plcrash,
            .androidText, .standaloneFrames, .offsetList:
            false
        }
    }

    /// Whether images are named by their paths on Linux, where the files may still exist.
    public var namesFiles: Bool {
        switch self {
        case .sanitizer, .coreDump, .glibcBacktrace, .gdb, .lldb, .perfScript, .valgrind,
            .boostStacktrace, .glog, .rustPanic, .goPanic, .swiftText, .swiftJSON:
            true
        case .ips, .crashText, .spindump, .stackshot, .jetsam, .sample, .leaks, .metricKit,
            .appStoreConnect,
            .ksCrash, .sentryEvent, .plcrash,
            .androidText, .standaloneFrames, .offsetList:
            false
        }
    }

    /// Whether the whole file is one JSON text.
    public var isJSON: Bool {
        switch self {
        case .metricKit, .appStoreConnect, .ksCrash, .sentryEvent: true
        case .ips, .crashText, .spindump, .stackshot, .jetsam, .sample, .leaks, .plcrash,
            .swiftText, .swiftJSON,
            .androidText, .sanitizer, .coreDump, .glibcBacktrace, .gdb, .lldb, .perfScript,
            .valgrind, .boostStacktrace, .glog, .rustPanic, .goPanic,
            .standaloneFrames, .offsetList:
            false
        }
    }
}
