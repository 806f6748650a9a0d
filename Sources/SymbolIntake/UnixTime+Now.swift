public import CallStacks
import Glibc

extension UnixTime {
    /// Returns the time of the system clock.
    @Sendable public static func now() -> Self {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Self(rawValue: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
