/// The metrics that are tracked for each version of an app.
///
/// The raw values are stored in the database and never change meaning.
public enum WatchedMetric: Int, Hashable, Sendable, CaseIterable {
    case timeToFirstDraw = 1
    case resumeTime = 2
    case optimizedTimeToFirstDraw = 3
    case extendedLaunch = 4
    case hangTime = 5
    case hangTimePerForegroundHour = 6
    case peakMemory = 7
    case scrollHitchRatio = 8

    /// The name in JSON and metrics.
    public var name: String {
        switch self {
        case .timeToFirstDraw: "time_to_first_draw"
        case .resumeTime: "resume_time"
        case .optimizedTimeToFirstDraw: "optimized_time_to_first_draw"
        case .extendedLaunch: "extended_launch"
        case .hangTime: "hang_time"
        case .hangTimePerForegroundHour: "hang_time_per_foreground_hour"
        case .peakMemory: "peak_memory"
        case .scrollHitchRatio: "scroll_hitch_ratio"
        }
    }

    /// The unit of its figures, in Prometheus's base units where there is one: seconds, seconds per
    /// hour, bytes, milliseconds per second.
    public var unit: String {
        switch self {
        case .timeToFirstDraw, .resumeTime, .optimizedTimeToFirstDraw, .extendedLaunch, .hangTime:
            "s"
        case .hangTimePerForegroundHour: "s/h"
        case .peakMemory: "By"
        case .scrollHitchRatio: "ms/s"
        }
    }

    /// The unit for display, and the factor from ``unit`` to it.
    public var readable: (unit: String, factor: Double) {
        switch unit {
        case "s": ("ms", 1_000)
        case "By": ("MB", 1e-6)
        default: (unit, 1)
        }
    }

    /// Values up to `good` are fine; values from `bad` on need attention. In ``unit``.
    ///
    /// Apple recommends drawing the first frame within 400 ms, calls hitches below 5 ms/s good and
    /// those from 10 ms/s critical, and calls a delay of half a second a hang. The other thresholds
    /// are Symbolist's own.
    public var thresholds: (good: Double, bad: Double) {
        switch self {
        case .timeToFirstDraw, .optimizedTimeToFirstDraw: (0.4, 2)
        case .resumeTime: (0.2, 1)
        case .extendedLaunch: (1, 4)
        case .hangTime: (0.5, 2)
        case .hangTimePerForegroundHour: (5, 20)
        case .peakMemory: (300e6, 1e9)
        case .scrollHitchRatio: (5, 10)
        }
    }
}
