/// The attributes of a metric payload's span, each with the path of its value.
enum MetricTable {
    struct Row {
        /// The name that OpenTelemetry's instrumentation sends; two of them have a hyphen.
        let attribute: String
        /// The members that lead to the value.
        let path: [String]
        let reading: FieldReading

        init(_ attribute: String, _ path: String, reading: FieldReading) {
            self.attribute = "metrickit." + attribute
            self.path = path.split(separator: ".").map(String.init)
            self.reading = reading
        }
    }

    /// All attributes whose value comes from one member. The ends of the period and whether it
    /// spans several versions are read separately, because they always have values.
    static let rows: [Row] =
        header + launches + activities + exits + use + [
            Row(
                "animation.scroll_hitch_time_ratio", "animationMetrics.scrollHitchTimeRatio",
                reading: .measurement(.hitchRatio))
        ]

    static let timestampBegin = "metrickit.timestamp_begin"
    static let timestampEnd = "metrickit.timestamp_end"
    static let includesSeveralVersions = "metrickit.includes_multiple_application_versions"

    private static let header: [Row] =
        [Row("latest_application_version", "appVersion", reading: .text)]
        + MetadataTable.rows.map {
            Row($0.attribute, "metaData." + $0.key, reading: $0.reading)
        }

    private static let launches: [Row] = {
        let launch = "applicationLaunchMetrics.histogrammed"
        return [
            Row(
                "app_launch.time_to_first_draw_average", launch + "TimeToFirstDrawKey",
                reading: .mean(.duration)),
            Row(
                "app_launch.app_resume_time_average", launch + "ResumeTime",
                reading: .mean(.duration)),
            Row(
                "app_launch.optimized_time_to_first_draw_average",
                launch + "OptimizedTimeToFirstDrawKey", reading: .mean(.duration)),
            Row(
                "app_launch.extended_launch_average", launch + "ExtendedLaunch",
                reading: .mean(.duration)),
            Row(
                "app_responsiveness.hang_time_average",
                "applicationResponsivenessMetrics.histogrammedAppHangTime",
                reading: .mean(.duration)),
            Row(
                "cellular_condition.bars_average", "cellularConditionMetrics.cellConditionTime",
                reading: .mean(.bars)),
            // The instrumentation sends the same value under two names.
            Row(
                "cellular_condition.cellular_condition_time_average",
                "cellularConditionMetrics.cellConditionTime", reading: .mean(.bars)),
        ]
    }()

    private static let activities: [Row] = {
        let location = "locationActivityMetrics.cumulative"
        let network = "networkTransferMetrics.cumulative"
        return [
            Row(
                "location_activity.best_accuracy_time", location + "BestAccuracyTime",
                reading: .measurement(.duration)),
            Row(
                "location_activity.best_accuracy_for_nav_time",
                location + "BestAccuracyForNavigationTime", reading: .measurement(.duration)),
            Row(
                "location_activity.accuracy_10m_time", location + "NearestTenMetersAccuracyTime",
                reading: .measurement(.duration)),
            Row(
                "location_activity.accuracy_100m_time", location + "HundredMetersAccuracyTime",
                reading: .measurement(.duration)),
            Row(
                "location_activity.accuracy_1km_time", location + "KilometerAccuracyTime",
                reading: .measurement(.duration)),
            Row(
                "location_activity.accuracy_3km_time", location + "ThreeKilometersAccuracyTime",
                reading: .measurement(.duration)),
            Row(
                "network_transfer.wifi_upload", network + "WifiUpload", reading: .measurement(.size)
            ),
            Row(
                "network_transfer.wifi_download", network + "WifiDownload",
                reading: .measurement(.size)),
            Row(
                "network_transfer.cellular_upload", network + "CellularUpload",
                reading: .measurement(.size)),
            Row(
                "network_transfer.cellular_download", network + "CellularDownload",
                reading: .measurement(.size)),
        ]
    }()

    private static let exits: [Row] =
        exits(
            "app_exit.foreground.", in: "applicationExitMetrics.foregroundExitData.",
            kinds: [
                ("normal_app_exit_count", "NormalApp"),
                ("memory_resource_limit_exit-count", "MemoryResourceLimit"),
                ("bad_access_exit_count", "BadAccess"),
                ("abnormal_exit_count", "Abnormal"),
                ("illegal_instruction_exit_count", "IllegalInstruction"),
                ("app_watchdog_exit_count", "AppWatchdog"),
            ])
        + exits(
            "app_exit.background.", in: "applicationExitMetrics.backgroundExitData.",
            kinds: [
                ("normal_app_exit_count", "NormalApp"),
                ("memory_resource_limit_exit_count", "MemoryResourceLimit"),
                ("cpu_resource_limit_exit_count", "CPUResourceLimit"),
                ("memory_pressure_exit_count", "MemoryPressure"),
                ("bad_access-exit_count", "BadAccess"),
                ("abnormal_exit_count", "Abnormal"),
                ("illegal_instruction_exit_count", "IllegalInstruction"),
                ("app_watchdog_exit_count", "AppWatchdog"),
                ("suspended_with_locked_file_exit_count", "SuspendedWithLockedFile"),
                ("background_task_assertion_timeout_exit_count", "BackgroundTaskAssertionTimeout"),
            ])

    /// Returns the rows for app exits in one state of the app.
    ///
    /// - Parameters:
    ///   - attribute: The start of the attributes.
    ///   - path: The members that lead to the counts.
    ///   - kinds: The suffixes of the attributes, and the kinds of exit as spelled in Apple's keys.
    private static func exits(
        _ attribute: String, in path: String, kinds: [(attribute: String, key: String)]
    ) -> [Row] {
        kinds.map {
            Row(attribute + $0.attribute, path + "cumulative\($0.key)ExitCount", reading: .count)
        }
    }

    private static let use: [Row] = {
        let time = "applicationTimeMetrics.cumulative"
        return [
            Row(
                "app_time.foreground_time", time + "ForegroundTime",
                reading: .measurement(.duration)),
            Row(
                "app_time.background_time", time + "BackgroundTime",
                reading: .measurement(.duration)),
            Row(
                "app_time.background_audio_time", time + "BackgroundAudioTime",
                reading: .measurement(.duration)),
            Row(
                "app_time.background_location_time", time + "BackgroundLocationTime",
                reading: .measurement(.duration)),
            Row("cpu.cpu_time", "cpuMetrics.cumulativeCPUTime", reading: .measurement(.duration)),
            Row(
                "cpu.instruction_count", "cpuMetrics.cumulativeCPUInstructions",
                reading: .measurement(.instructions)),
            Row("gpu.time", "gpuMetrics.cumulativeGPUTime", reading: .measurement(.duration)),
            Row(
                "diskio.logical_write_count", "diskIOMetrics.cumulativeLogicalWrites",
                reading: .measurement(.size)),
            Row(
                "memory.peak_memory_usage", "memoryMetrics.peakMemoryUsage",
                reading: .measurement(.size)),
            Row(
                "memory.suspended_memory_average",
                "memoryMetrics.averageSuspendedMemory.averageValue", reading: .measurement(.size)),
            Row(
                "display.pixel_luminance_average",
                "displayMetrics.averagePixelLuminance.averageValue",
                reading: .measurement(.luminance)),
        ]
    }()

    /// Members that Apple sends and the instrumentation ignores.
    static let ignoredPaths = [
        "timeStampBegin", "timeStampEnd", "multipleAppVersions", "signpostMetrics",
        "metaData.bundleIdentifier", "diskSpaceUsageMetrics",
        "applicationExitMetrics.foregroundExitData.cumulativeCPUResourceLimitExitCount",
        "applicationExitMetrics.backgroundExitData."
            + "cumulativeBackgroundFetchCompletionTimeoutExitCount",
        "applicationExitMetrics.backgroundExitData."
            + "cumulativeBackgroundURLSessionCompletionTimeoutExitCount",
        "memoryMetrics.averageSuspendedMemory.sampleCount",
        "memoryMetrics.averageSuspendedMemory.standardDeviation",
        "displayMetrics.averagePixelLuminance.sampleCount",
        "displayMetrics.averagePixelLuminance.standardDeviation",
    ]
}

/// The attributes of a signpost's span.
enum SignpostTable {
    private static let interval = "signpostIntervalData."

    static let rows: [(attribute: String, path: String, reading: FieldReading)] = [
        ("signpost.name", "signpostName", .text),
        ("signpost.category", "signpostCategory", .text),
        ("signpost.count", "totalSignpostCount", .integer),
        ("signpost.cpu_time", interval + "signpostCumulativeCPUTime", .measurement(.duration)),
        ("signpost.memory_average", interval + "signpostAverageMemory", .average(.size)),
        (
            "signpost.logical_write_count", interval + "signpostCumulativeLogicalWrites",
            .measurement(.size)
        ),
        (
            "signpost.hitch_time_ratio", interval + "signpostCumulativeHitchTimeRatio",
            .measurement(.hitchRatio)
        ),
    ]

    /// The distribution of durations, which the instrumentation does not send.
    static let ignoredPaths = [interval + "histogrammedSignpostDurations"]
}
