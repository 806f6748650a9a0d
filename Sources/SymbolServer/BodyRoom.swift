import Synchronization

/// How much of bodies is in memory at one time, whatever the number of connections.
public final class BodyRoom: Sendable {
    private let limit: Int
    private let taken = Mutex(0)

    /// - Parameter limit: In bytes.
    init(limit: Int) { self.limit = limit }

    public convenience init(_ settings: ServerSettings) {
        self.init(limit: settings.bodyRoom ?? 4 * settings.bodyLimit)
    }

    /// Takes room for more.
    ///
    /// - Throws: A ``RequestError`` of 503 where none is left.
    func take(_ count: Int) throws {
        let isTaken = taken.withLock { taken in
            guard taken + count <= limit else { return false }
            taken += count
            return true
        }
        guard isTaken else {
            throw RequestError.unavailable(
                "memory: \(limit) bytes of requests are being read, the limit: send again later",
                retryAfter: Self.retryAfterSeconds)
        }
    }

    func giveBack(_ count: Int) { taken.withLock { $0 -= count } }

    private static let retryAfterSeconds = 1
}
