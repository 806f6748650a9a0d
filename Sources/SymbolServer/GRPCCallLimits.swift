import GRPCCore
import Synchronization

/// What every call of gRPC is held to, whichever connection it comes by.
struct GRPCCallLimits: Sendable {
    let authorization: GRPCAuthorization
    /// The largest message, in bytes, before and after inflating.
    let bytesLimit: Int
    /// Shared with the bodies of HTTP.
    let room: BodyRoom
    /// How long a message may take to arrive, and an answer to be read, in seconds.
    let seconds: Int64
    let calls: OpenCalls

    /// The largest message of a call that needs no token, in bytes.
    static let openBytesLimit = 4_096

    /// Checks who makes a call before anything of its message is read.
    ///
    /// - Returns: The largest message that it may send, in bytes.
    func admit(path: String, _ metadata: Metadata, from address: String) throws -> Int {
        if GRPCHealth.paths.contains(path) { return min(Self.openBytesLimit, bytesLimit) }
        try authorization.check(metadata, path: path, from: address)
        return bytesLimit
    }
}

/// How many calls are open at one time on all connections.
final class OpenCalls: Sendable {
    private let limit: Int
    private let count = Mutex(0)

    init(limit: Int) { self.limit = limit }

    /// - Throws: A ``RequestError`` of 503 if there is no room for another one.
    func open() throws {
        let isOpen = count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        guard isOpen else {
            throw RequestError.unavailable(
                "calls: \(limit) are open, the limit: send again later",
                retryAfter: Self.retryAfterSeconds)
        }
    }

    func close() { count.withLock { $0 -= 1 } }

    private static let retryAfterSeconds = 1
}
