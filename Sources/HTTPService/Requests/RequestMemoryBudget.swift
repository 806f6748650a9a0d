import Problems
import Synchronization

/// Limits the memory that the request bodies of all connections use together.
public final class RequestMemoryBudget: Sendable {
    private let limit: Int
    private let reserved = Mutex(0)

    /// - Parameter limit: The limit, in bytes.
    init(limit: Int) { self.limit = limit }

    public convenience init(_ settings: ServerSettings) {
        let (fourBodies, isTooLarge) = settings.bodyLimit.multipliedReportingOverflow(by: 4)
        self.init(limit: settings.bodyMemoryLimit ?? (isTooLarge ? .max : fourBodies))
    }

    /// Reserves bytes, until ``release(_:)``.
    ///
    /// - Throws: A ``RequestError`` of 503 if the limit would be exceeded.
    func reserve(_ count: Int) throws {
        let isReserved = reserved.withLock { reserved in
            guard reserved + count <= limit else { return false }
            reserved += count
            return true
        }
        guard isReserved else {
            throw RequestError.unavailable(
                Problem(
                    "memory", detail: "request bodies use \(limit) bytes, the limit",
                    suggestion: "send again later"), retryAfter: Self.retryAfterSeconds)
        }
    }

    func release(_ count: Int) { reserved.withLock { $0 -= count } }

    private static let retryAfterSeconds = 1
}

/// Memory reserved for a request, until the last reference is released.
final class MemoryReservation: Sendable {
    private let budget: RequestMemoryBudget
    private let byteCount = Mutex(0)

    init(in budget: RequestMemoryBudget) { self.budget = budget }

    deinit { budget.release(byteCount.withLock(\.self)) }

    /// - Throws: A ``RequestError`` of 503 if the budget would be exceeded.
    func add(_ count: Int) throws {
        try budget.reserve(count)
        byteCount.withLock { $0 += count }
    }
}
