public import Ingest
public import Logging
public import ObjectStorage
import Problems
public import SharedDatabase
import Synchronization

/// Archives the entries of diagnostics in a bucket, for all nodes of a database:
/// `archive/DAY/RANDOM`, see ``ArchiveRecord``.
///
/// Rows decide which object contains an entry, and contain the digest of its bytes.
public final class EntryBucket: Sendable {
    let bucket: Bucket
    private let objects = RecentObjects()
    private let failures: ObjectFailures
    private let state = Mutex(State())
    private let limits: ReadLimits

    static let folder = "archive/"

    private struct State {
        /// The time until which nothing is read, because a request to the bucket failed.
        var pausedUntil: ContinuousClock.Instant?
        /// When storing an object last failed, or `nil` if one was stored since.
        var failure: ContinuousClock.Instant?
    }

    /// The limits of reads. They are short because the worker of a lane waits for each read.
    struct ReadLimits {
        var time = Duration.seconds(5)
        /// The transfer rate in bytes per second that a read is given time for.
        var slowestRate: Int64 = 1 << 20
        /// The pause after a failed read.
        var pause = Duration.seconds(60)
        /// The number of wanted entries from which on an object is read as a whole.
        var wholeObjectCount = 16
    }

    public convenience init(_ bucket: Bucket, logger: Logger) {
        self.init(bucket, logger: logger, limits: ReadLimits())
    }

    init(_ bucket: Bucket, logger: Logger, limits: ReadLimits) {
        self.bucket = bucket
        self.limits = limits
        failures = ObjectFailures(in: bucket, under: Self.folder, logger: logger)
    }

    /// Whether storing objects is likely to succeed. `false` for some time after a failure.
    public var isWritable: Bool {
        state.withLock { $0.failure.map { ContinuousClock.now - $0 > limits.pause } ?? true }
    }

    /// Stores an object.
    func store(_ bytes: [UInt8], as key: ObjectKey) async throws {
        do {
            try await bucket.upload(bytes, as: key)
            state.withLock { $0 = State() }
        } catch {
            state.withLock { $0.failure = .now }
            throw error
        }
    }
}

extension EntryBucket: EntryArchive {
    public var isAvailable: Bool {
        state.withLock { $0.pausedUntil.map { $0 <= .now } ?? true }
    }

    public func entries(
        _ wanted: [WantedEntries]
    ) async throws(JournalError) -> [JournalEntry] {
        guard isAvailable else {
            throw Self.unavailable(
                Problem("bucket", detail: "did not answer", suggestion: "it is asked again later"))
        }
        let byteCount = wanted.reduce(0) { $0 + self.byteCount(of: $1) }
        let time = limits.time + .seconds(byteCount / limits.slowestRate)
        do {
            return try await withTimeLimit(time) { try await self.read(wanted) }
        } catch is TimeLimitExceeded {
            pause()
            throw Self.unavailable(
                Problem(
                    "bucket", detail: "did not return archived entries in \(time)",
                    suggestion: "check that the server of blobs.url is running and reachable"))
        } catch let error as ObjectStorageError {
            pause()
            throw Self.unavailable(error.problem)
        } catch {
            throw Self.unavailable(Problem(error))
        }
    }

    public func delete(_ names: [String]) async {
        await StoredFiles(bucket).delete(names)
    }

    private func pause() { state.withLock { $0.pausedUntil = .now + limits.pause } }

    private static func unavailable(_ problem: Problem) -> JournalError {
        JournalError(.unavailable, problem)
    }

    private func read(_ wanted: [WantedEntries]) async throws -> [JournalEntry] {
        try await withThrowingTaskGroup(of: [JournalEntry].self) { group in
            for wanted in wanted { group.addTask { try await self.read(wanted) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func read(_ wanted: WantedEntries) async throws -> [JournalEntry] {
        guard let key = ObjectKey(wanted.object.name) else { return [] }
        if let bytes = try await whole(wanted, key) {
            return wanted.entries.compactMap { entry in
                entry.read(bytes[Int(entry.range.lowerBound)..<Int(entry.range.upperBound)])
            }
        }
        return try await withThrowingTaskGroup(of: JournalEntry?.self) { group in
            for entry in wanted.entries {
                group.addTask { try await self.part(entry, key).flatMap { entry.read($0[...]) } }
            }
            return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
    }

    /// Returns the maximum number of bytes that are read for some entries of an object.
    private func byteCount(of wanted: WantedEntries) -> Int64 {
        isWhole(wanted)
            ? wanted.object.byteCount : wanted.entries.reduce(0) { $0 + Int64($1.range.count) }
    }

    private func isWhole(_ wanted: WantedEntries) -> Bool {
        wanted.entries.count >= limits.wholeObjectCount
    }

    /// Returns the whole object if it is in memory or many of its entries are wanted, otherwise
    /// `nil`.
    private func whole(_ wanted: WantedEntries, _ key: ObjectKey) async throws -> [UInt8]? {
        if let bytes = objects.bytes(of: key) { return bytes }
        guard isWhole(wanted) else { return nil }
        let object = wanted.object
        let bytes = try await bytes(of: key, in: 0..<object.byteCount) { bytes in
            object.entries.allSatisfy { entry in
                entry.matches(bytes[Int(entry.range.lowerBound)..<Int(entry.range.upperBound)])
            }
        }
        // If some entries are damaged, the others are read one by one.
        if let bytes { objects.add(bytes, of: key) }
        return bytes
    }

    private func part(_ entry: ArchivedEntry, _ key: ObjectKey) async throws -> [UInt8]? {
        try await bytes(of: key, in: entry.range) { entry.matches($0[...]) }
    }

    /// Returns `nil` if the object is missing, damaged or refused, which is logged. Other objects
    /// are still read.
    private func bytes(
        of key: ObjectKey, in range: Range<Int64>,
        where isExpected: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws -> [UInt8]? {
        do {
            let bytes = try await bucket.bytes(of: key, in: range, where: isExpected)
            failures.recordRead(of: key)
            return bytes
        } catch let error as ObjectStorageError {
            guard await failures.isOfObject(error, key) else { throw error }
            failures.report(error, of: key)
            return nil
        }
    }
}

extension ArchivedEntry {
    fileprivate func matches(_ bytes: ArraySlice<UInt8>) -> Bool {
        Self.digest(of: bytes) == digest
    }

    /// Decodes the entry, or returns `nil` if the bytes are invalid or contain another entry.
    fileprivate func read(_ bytes: ArraySlice<UInt8>) -> JournalEntry? {
        guard let entry = try? ArchiveRecord.entry(in: bytes), entry.number == number
        else { return nil }
        return entry
    }
}
