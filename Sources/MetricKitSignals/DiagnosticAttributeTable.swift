import CallStacks

/// The attributes of a diagnostic's log record, each with the path of its value.
enum DiagnosticAttributeTable {
    struct Row {
        let attribute: String
        /// The members that lead to the value, joined by full stops.
        let path: String
        let reading: FieldReading
        /// Whether the attribute is an addition, which the instrumentation does not send.
        let isAddition: Bool

        init(
            _ attribute: String, _ path: String, reading: FieldReading, isAddition: Bool = false
        ) {
            self.attribute = attribute
            self.path = path
            self.reading = reading
            self.isAddition = isAddition
        }
    }

    static let prefix = "metrickit.diagnostic."
    static let exceptionType = prefix + "crash.exception.mach_exception.type"
    static let signal = prefix + "crash.exception.signal"
    static let exceptionName = prefix + "crash.exception.objc.name"
    static let exceptionMessage = prefix + "crash.exception.objc.message"

    static func rows(of kind: DiagnosticKind) -> [Row] {
        switch kind {
        case .appLaunch: launch
        case .diskWriteException: diskWrites
        case .hang: hang
        case .cpuException: processor
        case .crash: crash
        case .memoryException, .unknown: []
        }
    }

    static let metadata =
        MetadataTable.rowsOfDiagnostics.map {
            Row("metrickit." + $0.attribute, $0.key, reading: $0.reading, isAddition: true)
        }
        + [
            Row(
                "metrickit.metadata.signpost_data", "signpostData", reading: .verbatim,
                isAddition: true)
        ]

    private static let launch = [
        Row(
            prefix + "app_launch.launch_duration", "launchDuration",
            reading: .measurement(.duration))
    ]

    /// The second name is that of iOS 27.
    private static let diskWrites = ["writesCaused", "totalBytesWritten"].map {
        Row(prefix + "disk_write_exception.total_writes_caused", $0, reading: .measurement(.size))
    }

    private static let hang = [
        Row(prefix + "hang.hang_duration", "hangDuration", reading: .measurement(.duration)),
        Row(prefix + "hang.hang_type", "hangType", reading: .text, isAddition: true),
    ]

    private static let processor = [
        Row(
            prefix + "cpu_exception.total_cpu_time", "totalCPUTime",
            reading: .measurement(.duration)),
        Row(
            prefix + "cpu_exception.total_sampled_time", "totalSampledTime",
            reading: .measurement(.duration)
        ),
    ]

    private static let crash: [Row] =
        [
            Row(prefix + "crash.exception.code", "exceptionCode", reading: .integer),
            Row(exceptionType, "exceptionType", reading: .integer),
            Row(signal, "signal", reading: .integer),
            Row(
                prefix + "crash.exception.termination_reason", "terminationReason",
                reading: .verbatim),
            Row(
                prefix + "crash.virtual_memory_region_info", "virtualMemoryRegionInfo",
                reading: .text,
                isAddition: true),
            Row(
                prefix + "crash.termination_category", "terminationCategory", reading: .verbatim,
                isAddition: true),
        ]
        + exceptionObjects.flatMap { object in
            [
                Row(
                    prefix + "crash.exception.objc.type", object + ".exceptionType", reading: .text),
                Row(exceptionMessage, object + ".composedMessage", reading: .text),
                Row(
                    prefix + "crash.exception.objc.classname", object + ".className", reading: .text
                ),
                Row(exceptionName, object + ".exceptionName", reading: .text),
            ]
        }

    private static let exceptionObjects = ["exceptionReason", "objectiveCexceptionReason"]

    /// The members that contain these, which are always objects in valid payloads.
    static let objects = ["diagnosticMetaData", "environment", "callStackTree"]

    /// The parts from which the message of an Objective-C exception was composed.
    static let ignoredPaths = exceptionObjects.flatMap {
        [$0 + ".formatString", $0 + ".arguments"]
    }
}
