/// The figures that a team watches for each version of its app.
///
/// The raw values stand in the database and never change meaning.
public enum WatchedMetric: Int, Hashable, Sendable, CaseIterable {
    case timeToFirstDraw = 1
    case resumeTime = 2
    case optimizedTimeToFirstDraw = 3
    case extendedLaunch = 4
    case hangTime = 5
    case hangTimePerForegroundHour = 6
    case peakMemory = 7
    case scrollHitchRatio = 8

    /// What programs call it.
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

    /// The unit in which its figures are kept: seconds, seconds for each hour, bytes, milliseconds
    /// for each second. The same as Prometheus asks for in names.
    public var unit: String {
        switch self {
        case .timeToFirstDraw, .resumeTime, .optimizedTimeToFirstDraw, .extendedLaunch, .hangTime:
            "s"
        case .hangTimePerForegroundHour: "s/h"
        case .peakMemory: "By"
        case .scrollHitchRatio: "ms/s"
        }
    }

    /// The unit in which people read its figures, and what one ``unit`` is in it.
    public var readable: (unit: String, factor: Double) {
        unit == "s" ? ("ms", 1_000) : (unit, 1)
    }

    /// Up to `good` nobody complains, from `bad` on something should be done. In ``unit``.
    ///
    /// Apple asks for the first frame within 400 ms and calls hitches of less than 5 ms/s good and
    /// of 10 ms/s critical, and a wait of half a second a hang. The others are ours.
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
