import Foundation
import Synchronization

/// An estimate of the server's time, because servers reject requests with a different time.
///
/// It is the machine's own time until a server rejects a request because of its time.
final class ServerClock: Sendable {
    private let machineNow: @Sendable () -> Date
    private let offset = Mutex<TimeInterval>(0)

    /// - Parameter now: The machine's time.
    init(now: @escaping @Sendable () -> Date) { machineNow = now }

    var now: Date { machineNow().addingTimeInterval(offset.withLock(\.self)) }

    /// Adopts the time of a server's response.
    func adjust(to date: Date) {
        let difference = date.timeIntervalSince(machineNow())
        offset.withLock { $0 = difference }
    }

    /// Whether a time differs from this clock by more than servers allow, minus a margin for the
    /// transfer.
    func isFar(from date: Date) -> Bool { abs(date.timeIntervalSince(now)) > Self.tolerance }

    private static let tolerance: TimeInterval = 300
}
