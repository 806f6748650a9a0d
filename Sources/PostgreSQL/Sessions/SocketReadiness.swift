import Glibc

/// The events that a connection's thread waits for.
struct SocketReadiness {
    var isSocketReady: Bool
    var isWoken: Bool

    /// Waits until there is an event, the deadline has passed, or a signal interrupts the wait.
    ///
    /// - Parameters:
    ///   - socket: The socket, or -1 for none.
    ///   - isWriting: Whether to wait until the socket is writable, as well as until it is
    ///     readable.
    ///   - deadline: The end of the wait, or `nil` for none.
    static func wait(
        socket: Int32, isWriting: Bool = false, wakePipe: WakePipe,
        until deadline: ContinuousClock.Instant?
    ) -> Self {
        let events = Int16(POLLIN) | (isWriting ? Int16(POLLOUT) : 0)
        var descriptors = [
            pollfd(fd: socket, events: events, revents: 0),
            pollfd(fd: wakePipe.readingEnd, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = deadline.map { Self.milliseconds(until: $0) } ?? -1
        let count = unsafe poll(&descriptors, nfds_t(descriptors.count), milliseconds)
        guard count > 0 else { return Self(isSocketReady: false, isWoken: false) }
        return Self(
            isSocketReady: descriptors[0].revents != 0, isWoken: descriptors[1].revents != 0)
    }

    /// Rounded up, so that the deadline has passed after the wait.
    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else { return 0 }
        return Int32(clamping: Int64(left / .milliseconds(1)) + 1)
    }
}
