import GRPCCore
import Problems
import Synchronization

/// The limits of gRPC calls, shared by all connections.
struct GRPCCallLimits: Sendable {
    /// The resources that all calls of one kind may use together.
    struct Allowance: Sendable {
        /// The maximum size of a message before and after decompression, in bytes.
        let messageLimit: Int
        let memory: RequestMemoryBudget
        let calls: CallLimiter
    }

    /// The timeout for receiving a message, and for the client to read a response, in seconds.
    let seconds: Int64
    private let authorization: GRPCAuthorization
    private let telemetry: Allowance
    /// The allowance of health checks. It is separate, so that health checks work even if telemetry
    /// uses up its own allowance.
    private let health: Allowance
    /// The allowance of reserved connections. It is separate from ``health``, because clients that
    /// watch the health status can use up that one.
    private let reservedHealth: Allowance

    /// The maximum size of a health check's message, in bytes. Health checks need no token.
    static let healthMessageLimit = 4_096

    /// - Parameter memory: The budget shared with HTTP bodies.
    init(
        _ settings: ServerSettings, authorization: GRPCAuthorization, memory: RequestMemoryBudget
    ) {
        let limits = settings.connectionLimits
        self.authorization = authorization
        seconds = settings.requestSeconds
        telemetry = Allowance(
            messageLimit: settings.bodyLimit, memory: memory,
            calls: CallLimiter(limit: limits.total))
        let messageLimit = min(Self.healthMessageLimit, settings.bodyLimit)
        health = Allowance(healthCalls: limits.total, messageLimit: messageLimit)
        reservedHealth = Allowance(healthCalls: limits.reserve, messageLimit: messageLimit)
    }

    /// Checks a call by its headers, before any part of its message is read.
    ///
    /// - Parameter isReserved: Whether the connection is reserved for health checks.
    func admit(
        path: String, _ metadata: Metadata, from address: String, isReserved: Bool
    ) throws -> Allowance {
        if GRPCHealth.paths.contains(path) { return isReserved ? reservedHealth : health }
        guard !isReserved else { throw RequestError.connectionLimitReached }
        try authorization.check(metadata, path: path, from: address)
        return telemetry
    }
}

extension GRPCCallLimits.Allowance {
    /// Creates an allowance with enough memory for a number of concurrent health checks.
    fileprivate init(healthCalls count: Int, messageLimit: Int) {
        self.init(
            messageLimit: messageLimit, memory: RequestMemoryBudget(limit: count * messageLimit),
            calls: CallLimiter(limit: count))
    }
}

/// Limits the number of concurrent calls.
final class CallLimiter: Sendable {
    private let limit: Int
    private let count = Mutex(0)

    init(limit: Int) { self.limit = limit }

    /// - Throws: A ``RequestError`` of 503 if the limit is reached.
    func acquire() throws {
        let isAcquired = count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        guard isAcquired else {
            throw RequestError.unavailable(
                Problem(
                    "calls", detail: "\(limit) are open, the limit", suggestion: "send again later"),
                retryAfter: Self.retryAfterSeconds)
        }
    }

    func release() { count.withLock { $0 -= 1 } }

    private static let retryAfterSeconds = 1
}
