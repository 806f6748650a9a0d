import Foundation
import Synchronization

/// The time as the server has it, which refuses requests of another time.
///
/// It is the machine's own time until a server refuses a request for its time.
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

    /// Whether a time differs by more than any server allows, less some for the time under way.
    func isFar(from date: Date) -> Bool { abs(date.timeIntervalSince(now)) > Self.tolerance }

    private static let tolerance: TimeInterval = 300
}
