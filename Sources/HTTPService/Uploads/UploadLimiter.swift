import Problems
import Synchronization

/// Limits the number and the total size of symbol uploads that are received at the same time.
/// Received data stays on disk until it is processed.
final class UploadLimiter: Sendable {
    struct Limits {
        var count: Int
        /// The total size, in bytes, after decompression.
        var bytes: Int64
    }

    /// The share of one upload, until ``UploadLimiter/release(_:)``.
    final class Reservation: Sendable {
        fileprivate let bytes = Mutex<Int64>(0)
    }

    /// The time that a client should wait for another upload to end, in seconds.
    private static let retryAfterSeconds = 5

    private let limits: Limits
    private let reserved = Mutex<(count: Int, bytes: Int64)>((0, 0))

    init(_ limits: Limits) { self.limits = limits }

    /// - Throws: A ``RequestError`` of 503 if the maximum number of uploads is reached.
    func acquire() throws -> Reservation {
        let isAcquired = reserved.withLock { reserved in
            guard reserved.count < limits.count else { return false }
            reserved.count += 1
            return true
        }
        guard isAcquired else {
            throw Self.refusal("\(limits.count) are in progress, the limit")
        }
        return Reservation()
    }

    /// Adds received bytes to a reservation.
    ///
    /// - Throws: A ``RequestError`` of 503 if all uploads together would become too large.
    func add(_ count: Int, to reservation: Reservation) throws {
        let isReserved = reserved.withLock { reserved in
            guard reserved.bytes + Int64(count) <= limits.bytes else { return false }
            reserved.bytes += Int64(count)
            return true
        }
        guard isReserved else {
            throw Self.refusal("those in progress use \(limits.bytes) bytes, the limit")
        }
        reservation.bytes.withLock { $0 += Int64(count) }
    }

    func release(_ reservation: Reservation) {
        let bytes = reservation.bytes.withLock { $0 }
        reserved.withLock { reserved in
            reserved.count -= 1
            reserved.bytes -= bytes
        }
    }

    private static func refusal(_ problem: String) -> RequestError {
        .unavailable(
            Problem("uploads", detail: "\(problem)", suggestion: "send again later"),
            retryAfter: retryAfterSeconds)
    }
}
