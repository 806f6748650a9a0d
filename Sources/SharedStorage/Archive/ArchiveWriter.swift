import Ingest
import ObjectStorage
public import SharedDatabase

/// The limits of objects with archived entries.
public struct ArchiveLimits: Hashable, Sendable {
    /// The size at which an object is stored.
    public var bytes: Int64
    /// The time after which a smaller object is stored.
    public var delay: Duration
    /// The total size of entries waiting to be archived above which delivered entries are skipped.
    public var lagBytes: Int64

    public init(
        bytes: Int64 = 8 << 20, delay: Duration, lagBytes: Int64 = 200 << 30
    ) {
        self.bytes = bytes
        self.delay = delay
        self.lagBytes = lagBytes
    }
}

/// The result of a step of an ``ArchiveWriter``.
public enum ArchiveStep: Hashable, Sendable {
    /// The object is not full yet, and there are no further entries.
    case waiting
    /// The given number of entries was archived, and the cursor moved past them.
    case archived(Int)
    /// The given number of entries with diagnostics was skipped, because too many were waiting to be
    /// archived.
    case skipped(Int64)
}

/// Archives the entries of a lane, step by step.
///
/// An object is stored before its row. If the process is killed in between, or the row cannot be
/// stored, ``ObjectSweep`` removes the object. If the result of a commit is unknown, the row is
/// written again for the same object, unless the cursor shows that the commit succeeded.
public actor ArchiveWriter {
    private let journal: LaneJournal
    private let archive: EntryBucket
    private let limits: ArchiveLimits
    private var draft: ArchiveDraft?
    /// The object of the draft, once it is in the bucket.
    private var stored: ArchivedObject?
    /// Whether the cursor may have moved since the draft began.
    private var isCursorUncertain = false
    private var nextLagCheck = ContinuousClock.now

    private static let lagPause = Duration.seconds(5)

    public init(of journal: LaneJournal, in archive: EntryBucket, limits: ArchiveLimits) {
        self.journal = journal
        self.archive = archive
        self.limits = limits
    }

    /// Archives a batch of entries if it is large enough or has waited long enough.
    ///
    /// - Parameter isFlushing: Whether to archive even a small, recent batch.
    /// - Throws: `JournalError`, ``ObjectStorage/ObjectStorageError`` or `CancellationError`. The
    ///   next call repeats the step.
    public func step(isFlushing: Bool = false) async throws -> ArchiveStep {
        if let count = try await skippedCount() { return .skipped(count) }
        try await prepareDraft()
        try await fillDraft()
        guard let draft, draft.since != nil, isFlushing || isDue(draft) else { return .waiting }
        try await store(draft)
        discardDraft()
        return .archived(draft.entries.count)
    }

    /// Skips entries if too many wait, and returns their number.
    private func skippedCount() async throws -> Int64? {
        guard ContinuousClock.now >= nextLagCheck else { return nil }
        nextLagCheck = .now + Self.lagPause
        guard let count = try await journal.passUnarchived(beyond: limits.lagBytes) else {
            return nil
        }
        discardDraft()
        return count
    }

    private func discardDraft() {
        draft = nil
        stored = nil
        isCursorUncertain = false
    }

    /// Begins a draft at the cursor, unless the current draft already begins there.
    private func prepareDraft() async throws {
        guard draft == nil || isCursorUncertain else { return }
        let cursor = try await journal.archiveCursor()
        isCursorUncertain = false
        guard draft?.start != cursor else { return }
        discardDraft()
        draft = ArchiveDraft(after: cursor)
    }

    private func isDue(_ draft: ArchiveDraft) -> Bool {
        draft.isClosed || Int64(draft.bytes.count) >= limits.bytes || stored != nil
            || draft.since.map { ContinuousClock.now - $0 >= limits.delay } ?? false
    }

    private func fillDraft() async throws {
        var isLast = false
        while !isLast, !isDraftDue, let end = draft?.end, let size = draft?.bytes.count {
            let batch = try await journal.archivableEntries(
                after: end, bytes: limits.bytes - Int64(size))
            isLast = batch.isLast
            try draft?.add(batch)
        }
    }

    private var isDraftDue: Bool { draft.map { isDue($0) } ?? true }

    private func store(_ draft: ArchiveDraft) async throws {
        if stored == nil, !draft.entries.isEmpty { stored = try await upload(draft) }
        isCursorUncertain = true
        try await journal.archive(stored, from: draft.start, to: draft.end)
    }

    private func upload(_ draft: ArchiveDraft) async throws -> ArchivedObject {
        let name = "\(EntryBucket.folder)\(draft.day)/\(ObjectKey.randomName())"
        guard let key = ObjectKey(name) else { preconditionFailure("name: not a key") }
        try await archive.store(draft.bytes, as: key)
        return draft.object(named: name)
    }
}
