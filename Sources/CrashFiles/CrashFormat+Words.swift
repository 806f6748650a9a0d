extension CrashFormat {
    /// What people call such files.
    public var words: String {
        switch self {
        case .ips: "Apple's .ips"
        case .crashText: ".crash text"
        case .spindump: "spindump and hang text"
        case .sample: "text of 'sample'"
        case .metricKit: "MetricKit or OTLP JSON"
        case .appStoreConnect: "App Store Connect logs"
        case .ksCrash: "KSCrash JSON"
        case .swiftText: "Swift backtraces"
        case .swiftJSON: "their JSON"
        case .androidText: "Android tombstones"
        case .bareFrames: "callStackSymbols lines"
        case .offsetList: "lines of 'UUID OFFSET'"
        }
    }

    /// All that can be read, for whoever gave something else: `Apple's .ips, … or lines of …`.
    ///
    /// Help is made of it on every start, so it is made by hand: to join a sequence has the runtime
    /// look through all conformances of the program first.
    public static let allWords: String = {
        var words = ""
        for (number, format) in allCases.enumerated() {
            if number > 0 { words += number == allCases.count - 1 ? " or " : ", " }
            words += format.words
        }
        return words
    }()

    /// Whether such reports stand in logs, between lines that are not theirs.
    public var standsInLogs: Bool {
        switch self {
        case .swiftText, .swiftJSON: true
        case .ips, .crashText, .spindump, .sample, .metricKit, .appStoreConnect, .ksCrash,
            .androidText, .bareFrames, .offsetList:
            false
        }
    }

    /// Whether the whole file is one JSON text.
    public var isJSON: Bool {
        switch self {
        case .metricKit, .appStoreConnect, .ksCrash: true
        case .ips, .crashText, .spindump, .sample, .swiftText, .swiftJSON, .androidText,
            .bareFrames, .offsetList:
            false
        }
    }
}
