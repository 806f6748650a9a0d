import CallStacks

/// The JSON keys that distinguish the kinds of payloads.
enum DiagnosticKeys {
    /// The arrays of a diagnostic payload, in the order in which they are read.
    static let arrays: [(key: String, kind: DiagnosticKind)] = [
        ("crashDiagnostics", .crash), ("hangDiagnostics", .hang),
        ("cpuExceptionDiagnostics", .cpuException),
        ("diskWriteExceptionDiagnostics", .diskWriteException),
        ("appLaunchDiagnostics", .appLaunch),
    ]

    static let tags: [(key: String, kind: DiagnosticKind)] = [
        ("crash", .crash), ("hang", .hang), ("cpuException", .cpuException),
        ("diskWriteException", .diskWriteException), ("appLaunch", .appLaunch),
        ("memoryException", .memoryException),
    ]

    /// Fields that only one kind of diagnostic has, the most specific first.
    static let fields: [(key: String, kind: DiagnosticKind)] = [
        ("hangDuration", .hang), ("totalCPUTime", .cpuException),
        ("writesCaused", .diskWriteException), ("totalBytesWritten", .diskWriteException),
        ("launchDuration", .appLaunch), ("signal", .crash), ("exceptionType", .crash),
        ("terminationReason", .crash),
    ]

    /// Keys of a metric payload, which has at least one of them besides its time stamps.
    static let metrics = [
        "metaData", "appVersion", "applicationLaunchMetrics", "applicationResponsivenessMetrics",
        "cellularConditionMetrics", "locationActivityMetrics", "networkTransferMetrics",
        "applicationExitMetrics", "animationMetrics", "applicationTimeMetrics", "cpuMetrics",
        "gpuMetrics", "diskIOMetrics", "memoryMetrics", "displayMetrics", "signpostMetrics",
        "diskSpaceUsageMetrics",
    ]
}
