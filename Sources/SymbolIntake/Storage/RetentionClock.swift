package import CallStacks

/// The time from which the age of stored data is counted. It never jumps ahead.
///
/// A clock that is set years ahead by mistake would make everything look expired at once. So the
/// time passes no faster than on the system's steady clock, which nothing sets; if the new time is
/// right, data stays longer, until the next start of the service.
package struct RetentionClock {
    /// The jump that is accepted, because clocks drift and virtual machines pause.
    package static let tolerance = Duration.seconds(3_600)

    private var latest: UnixTime
    private var steady: ContinuousClock.Instant

    package init(_ wall: UnixTime, steady: ContinuousClock.Instant) {
        latest = wall
        self.steady = steady
    }

    /// Returns the time for the age of data.
    ///
    /// - Parameter wall: The time of the clock that can be set.
    /// - Returns: `wall`, or an earlier time if the clock jumped ahead.
    package mutating func time(wall: UnixTime, steady: ContinuousClock.Instant) -> UnixTime {
        let expected = latest.advanced(milliseconds: self.steady.duration(to: steady))
        guard wall <= expected.advanced(milliseconds: Self.tolerance) else { return expected }
        // A clock that was set back may be corrected again, so the later time stays.
        latest = max(wall, expected)
        self.steady = steady
        return wall
    }
}

extension UnixTime {
    fileprivate func advanced(milliseconds duration: Duration) -> Self {
        let (seconds, attoseconds) = duration.components
        return UnixTime(rawValue: rawValue + seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}
