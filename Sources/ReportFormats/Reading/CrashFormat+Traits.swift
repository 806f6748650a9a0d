extension CrashFormat {
    /// Whether reports of this format occur in logs, between unrelated lines.
    public var occursInLogs: Bool { Self.printedOnLinux.contains(self) }

    /// Whether images are named by their paths on Linux, where the files may still exist.
    public var namesFiles: Bool { Self.printedOnLinux.contains(self) }

    /// Whether the whole file is one JSON text.
    public var isJSON: Bool {
        [.metricKit, .appStoreConnect, .ksCrash, .sentryEvent].contains(self)
    }

    /// Whether reports are stored in a binary encoding rather than as text.
    public var isBinary: Bool { self == .plcrash }

    /// The formats that programs and tools print on Linux, often into a log.
    private static let printedOnLinux: Set<Self> = [
        .swiftText, .swiftJSON, .sanitizer, .coreDump, .glibcBacktrace, .gdb, .lldb, .perfScript,
        .valgrind, .boostStacktrace, .glog, .rustPanic, .goPanic,
    ]
}
