import CallStacks
import Foundation
public import Logging
public import ObjectStorage
import Problems
public import SharedDatabase

/// Removes objects that no row refers to, such as those of nodes that were killed after storing an
/// object and before adding its row. One node of the cluster does this, once a day.
///
/// An object is removed once it is older than the grace period. Names are never reused, so no
/// upload can refer to it any more.
public struct ObjectSweep: Sendable {
    private let bucket: Bucket
    private let names: ObjectNames
    private let indexes: IndexObjects
    private let tasks: SharedTasks
    private let grace: Duration
    private let logger: Logger

    private static let task = "objects"
    private static let interval = Duration.seconds(86_400)
    private static let pause = Duration.seconds(600)
    private static let folders = [
        BlobBucket.folder, IndexBucket.folder, FileBucket.folder, EntryBucket.folder,
    ]
    private static let stepLimit = 1_000

    /// - Parameters:
    ///   - grace: The time for which an object without a row stays. It must exceed the duration of
    ///     an upload and the age of the oldest backup of the database.
    public init(
        _ bucket: Bucket, database: SharedDatabase, node: ClusterNode, grace: Duration,
        logger: Logger
    ) {
        self.bucket = bucket
        names = ObjectNames(in: database)
        indexes = IndexObjects(in: database)
        tasks = SharedTasks(of: database, for: node)
        self.grace = grace
        self.logger = logger
    }

    /// Sweeps once a day until the task is cancelled. A failed sweep is logged and repeated a day
    /// later.
    public func run() async {
        while !Task.isCancelled {
            do {
                if try await tasks.begin(Self.task, every: Self.interval) { try await sweep() }
            } catch {
                guard !Task.isCancelled else { return }
                logger.warning("bucket: removing objects without a row failed: \(Problem(error))")
            }
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// Removes everything that is old enough. A step that fails is logged, and the others are still
    /// carried out.
    func sweep() async throws {
        try await attempt("removing expired tasks") {
            for prefix in [IndexBucket.taskPrefix, FileBucket.taskPrefix] {
                try await tasks.removeExpired(under: prefix)
            }
        }
        try await attempt("removing unneeded indexes") { try await removeIndexes() }
        guard let deadline = try await names.time(before: grace) else { return }
        // Objects first, because permission to list them does not include unfinished uploads.
        for folder in Self.folders {
            try await attempt("removing objects without a row in \(folder)") {
                try await removeObjects(in: folder, before: Date(deadline))
            }
        }
        for folder in Self.folders {
            try await attempt("aborting unfinished uploads in \(folder)") {
                try await abortUploads(in: folder, before: Date(deadline))
            }
        }
    }

    /// - Throws: The error of a step if the task is cancelled.
    private func attempt(_ step: String, _ body: () async throws -> Void) async throws {
        do { try await body() } catch {
            guard !Task.isCancelled else { throw error }
            logger.warning("bucket: \(step) failed: \(Problem(error))")
        }
    }

    /// Removes the indexes of debug files that are not stored.
    private func removeIndexes() async throws {
        while true {
            let removed = try await indexes.removeUnneeded(for: grace)
            if removed.isEmpty { return }
            try await bucket.delete(removed.compactMap { ObjectKey($0) })
        }
    }

    private func removeObjects(in folder: String, before deadline: Date) async throws {
        var old: [ObjectKey] = []
        for try await object in bucket.objects(under: folder) {
            guard let modified = object.modified, modified < deadline else { continue }
            old.append(object.key)
            if old.count == Self.stepLimit {
                try await removeUnknown(among: old)
                old = []
            }
        }
        try await removeUnknown(among: old)
    }

    private func removeUnknown(among keys: [ObjectKey]) async throws {
        let unknown = try await names.unknown(among: keys.map(\.rawValue))
        guard !unknown.isEmpty else { return }
        try await bucket.delete(unknown.compactMap { ObjectKey($0) })
        logger.info("bucket: removed \(unknown.count) objects without a row")
    }

    /// Removes the parts of uploads that were neither completed nor aborted.
    private func abortUploads(in folder: String, before deadline: Date) async throws {
        for try await upload in bucket.unfinishedUploads(under: folder) {
            guard let start = upload.started, start < deadline else { continue }
            try await bucket.abort(upload)
        }
    }
}

extension Date {
    /// Converts a time of the database.
    fileprivate init(_ time: UnixTime) {
        self.init(timeIntervalSince1970: Double(time.rawValue) / 1_000)
    }
}
