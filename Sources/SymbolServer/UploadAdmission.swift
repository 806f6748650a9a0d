import Synchronization

/// Bounds the uploads of symbols that are received at one time, by their number and by what they hold
/// together. What is received waits on the disk until it has been read.
final class UploadAdmission: Sendable {
    struct Limits {
        var count: Int
        /// In bytes, after inflating.
        var bytes: Int64
    }

    /// What one upload has taken of the bounds. It is given back with ``UploadAdmission/leave(_:)``.
    final class Share: Sendable {
        fileprivate let bytes = Mutex<Int64>(0)
    }

    /// How long a client should wait for another upload to end, in seconds.
    private static let retryAfterSeconds = 5

    private let limits: Limits
    private let taken = Mutex<(count: Int, bytes: Int64)>((0, 0))

    init(_ limits: Limits) { self.limits = limits }

    /// - Throws: A ``RequestError`` of 503 if as many uploads are under way as there may be.
    func enter() throws -> Share {
        let isAdmitted = taken.withLock { taken in
            guard taken.count < limits.count else { return false }
            taken.count += 1
            return true
        }
        guard isAdmitted else {
            throw Self.refusal("\(limits.count) are under way, the limit")
        }
        return Share()
    }

    /// Takes room for more of an upload.
    ///
    /// - Throws: A ``RequestError`` of 503 if all uploads together become too large.
    func take(_ count: Int, for share: Share) throws {
        let isTaken = taken.withLock { taken in
            guard taken.bytes + Int64(count) <= limits.bytes else { return false }
            taken.bytes += Int64(count)
            return true
        }
        guard isTaken else {
            throw Self.refusal("those under way hold \(limits.bytes) bytes, the limit")
        }
        share.bytes.withLock { $0 += Int64(count) }
    }

    func leave(_ share: Share) {
        let bytes = share.bytes.withLock { $0 }
        taken.withLock { taken in
            taken.count -= 1
            taken.bytes -= bytes
        }
    }

    private static func refusal(_ what: String) -> RequestError {
        .unavailable("uploads: \(what): send again later", retryAfter: retryAfterSeconds)
    }
}
