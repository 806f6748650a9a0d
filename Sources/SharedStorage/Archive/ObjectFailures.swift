import Logging
import ObjectStorage
import Problems
import Synchronization

/// Distinguishes failures of single objects from failures of the whole bucket, and logs each failed
/// object once.
final class ObjectFailures: Sendable {
    private struct State {
        /// The object that was read last.
        var lastRead: ObjectKey?
        var reported: Set<ObjectKey> = []
    }

    private let bucket: Bucket
    private let folder: String
    private let logger: Logger
    private let state = Mutex(State())

    /// The number of logged objects after which the record of them is cleared.
    private static let reportLimit = 10_000

    /// - Parameter folder: The start of the names of the objects.
    init(in bucket: Bucket, under folder: String, logger: Logger) {
        self.bucket = bucket
        self.folder = folder
        self.logger = logger
    }

    func recordRead(of key: ObjectKey) { state.withLock { $0.lastRead = key } }

    /// Whether only this object is unreadable, rather than the whole bucket.
    ///
    /// A server sends the same error whether it denies one object or all of them, so another object
    /// is read to find out.
    func isOfObject(_ error: ObjectStorageError, _ key: ObjectKey) async -> Bool {
        switch error.reason {
        case .notFound, .wrongBytes, .unreadable: true
        case .accessDenied, .refused: await isOtherReadable(than: key)
        case .unavailable, .malformedResponse, .localFile, .invalidSetting: false
        }
    }

    private func isOtherReadable(than key: ObjectKey) async -> Bool {
        do {
            guard let other = try await other(than: key) else { return false }
            _ = try await bucket.bytes(of: other, in: 0..<1)
            return true
        } catch let error as ObjectStorageError {
            // The object was removed meanwhile or is empty, so access was not denied.
            return error.reason == .notFound || error.reason == .wrongBytes
        } catch {
            return false
        }
    }

    private func other(than key: ObjectKey) async throws -> ObjectKey? {
        if let last = state.withLock(\.lastRead), last != key { return last }
        for try await object in bucket.objects(under: folder, pageLimit: 2)
        where object.key != key {
            return object.key
        }
        return nil
    }

    /// Logs that an object's entries are unreadable, unless that was logged before.
    func report(_ error: ObjectStorageError, of key: ObjectKey) {
        let isNew = state.withLock { state in
            if state.reported.count >= Self.reportLimit { state.reported.removeAll() }
            return state.reported.insert(key).inserted
        }
        guard isNew else { return }
        let problem = Problem(
            error.problem.subject,
            detail: "\(error.problem.detail): its diagnostics cannot be sent again",
            suggestion: error.problem.suggestion ?? "restore it from a backup of the bucket")
        logger.error("archive: \(problem)")
    }
}
