import CallStacks

/// The JSON keys that tell one kind of payload from another.
enum DiagnosticKeys {
    /// The arrays of a diagnostic payload, in the order in which their diagnostics come out.
    static let arrays: [(key: String, kind: DiagnosticKind)] = [
        ("crashDiagnostics", .crash), ("hangDiagnostics", .hang),
        ("cpuExceptionDiagnostics", .cpuException),
        ("diskWriteExceptionDiagnostics", .diskWriteException),
        ("appLaunchDiagnostics", .appLaunch),
    ]

    /// The tags of a result of iOS 27.
    static let tags: [(key: String, kind: DiagnosticKind)] = [
        ("crash", .crash), ("hang", .hang), ("cpuException", .cpuException),
        ("diskWriteException", .diskWriteException), ("appLaunch", .appLaunch),
        ("memoryException", .memoryException),
    ]

    /// Fields that only one kind of diagnostic has, most telling first.
    static let fields: [(key: String, kind: DiagnosticKind)] = [
        ("hangDuration", .hang), ("totalCPUTime", .cpuException),
        ("writesCaused", .diskWriteException), ("totalBytesWritten", .diskWriteException),
        ("launchDuration", .appLaunch), ("signal", .crash), ("exceptionType", .crash),
        ("terminationReason", .crash),
    ]

    /// What a metric payload has beside its time stamps: at least one of these.
    static let metrics = [
        "metaData", "appVersion", "applicationLaunchMetrics", "applicationResponsivenessMetrics",
        "cellularConditionMetrics", "locationActivityMetrics", "networkTransferMetrics",
        "applicationExitMetrics", "animationMetrics", "applicationTimeMetrics", "cpuMetrics",
        "gpuMetrics", "diskIOMetrics", "memoryMetrics", "displayMetrics", "signpostMetrics",
        "diskSpaceUsageMetrics",
    ]
}
