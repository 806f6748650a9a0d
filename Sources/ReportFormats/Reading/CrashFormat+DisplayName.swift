extension CrashFormat {
    /// The name of the format in messages.
    public var displayName: String {
        switch self {
        case .ips: "Apple's .ips"
        case .crashText: ".crash text"
        case .spindump: "spindump and hang text"
        case .stackshot: "stackshots"
        case .jetsam: "jetsam"
        case .sample: "sample output"
        case .leaks: "leaks output"
        case .metricKit: "MetricKit or OTLP JSON"
        case .appStoreConnect: "App Store Connect logs"
        case .ksCrash: "KSCrash JSON"
        case .sentryEvent: "Sentry events"
        case .plcrash: "binary .plcrash"
        case .swiftText: "Swift backtraces"
        case .swiftJSON: "Swift backtrace JSON"
        case .androidText: "Android tombstones"
        case .sanitizer: "sanitizers"
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
}
