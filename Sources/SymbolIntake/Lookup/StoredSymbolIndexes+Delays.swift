public import CallStacks
import Logging
import Symbolication
import Synchronization
import TaskCoordination

extension StoredSymbolIndexes {
    /// Retries images whose files could not be read from the catalogue, and causes the diagnostics
    /// that missed them to be sent again. Stops at the first failure.
    func readUnread() async {
        while let image = takeUnread() {
            guard let files = await files(of: image) else { return }
            do { for file in files { try await announce(file) } } catch {
                storage.logger.warning("image \(image): recording its symbols failed: \(error)")
                return add(unread: image)
            }
        }
    }

    /// Opens the indexes that lookups continued without, and causes the diagnostics that missed
    /// them to be sent again.
    ///
    /// Stops at the first index that is still unavailable, and begins with another one the next
    /// time.
    ///
    /// - Parameter limit: The maximum time to wait for an index that is being opened.
    func openDelayed(within limit: Duration = StoredSymbolIndexes.delayedWait) async {
        for file in delayedFiles {
            guard let supply = await value(of: opening(of: file), within: limit) else {
                return addDelay(of: file)
            }
            switch supply {
            case .found?:
                do { try await announce(file) } catch {
                    storage.logger.warning(
                        "\(file.name) \(file.image): recording its symbols failed: \(error)")
                    return
                }
                endDelay(of: file)
            case .missing?: return
            case .excerpt?, .remote?, .corrupt?, nil: endDelay(of: file)
            }
        }
    }

    public func waitForDelayedIndexes(of images: Set<ImageID>, atMost limit: Duration) async {
        for file in delayedFiles where images.contains(file.image) {
            _ = await value(of: opening(of: file), within: limit)
        }
    }

    /// Short enough not to delay other maintenance.
    static let delayedWait = Duration.seconds(5)

    public func announceStored(
        among images: [ImageID], for access: DebugFileAccess,
        includingIncomplete includesIncomplete: Bool
    ) async throws {
        let files = Dictionary(
            grouping: try await storage.catalogue.debugFiles(of: images), by: \.image)
        for image in images {
            guard let file = access.choice(among: files[image, default: []]),
                includesIncomplete || file.isSufficient, !isDelayed(file.key)
            else { continue }
            try await announce(file)
        }
    }

    /// Records that the symbols of a stored file are available.
    private func announce(_ file: StoredDebugFile) async throws {
        try await storage.changes.run {
            try await storage.catalogue.recordChange(of: file)
            try await reflectChanges(of: [file.image])
        }
    }

    /// Removes the least recently used local index files beyond ``IntakeSettings/cacheBytes``.
    ///
    /// A removed file is also closed, because it occupies the disk as long as it is mapped.
    func limitLocalFiles() {
        guard let uses = storage.indexes.uses, uses.isExceeded else { return }
        let open = openFilesInOrderOfUse
        for file in open { uses.recordUse(of: IndexFiles.name(of: file)) }
        let removed = Set(storage.indexes.removeExcess())
        close(open.filter { removed.contains(IndexFiles.name(of: $0)) })
    }
}

/// Returns the value of a task, or `nil` if it takes longer than `limit`. The task continues.
func value<Value: Sendable>(
    of task: Task<Value, Never>, within limit: Duration
) async -> Value? {
    await withCheckedContinuation { continuation in
        let first = FirstResult(continuation)
        let timer = Task {
            // The sleep is cancelled when the task has ended.
            try await Task.sleep(for: limit)
            first.resume(returning: nil)
        }
        Task {
            first.resume(returning: await task.value)
            timer.cancel()
        }
    }
}

/// Resumes a continuation with the first of several results.
private final class FirstResult<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value?, Never>?>

    init(_ continuation: CheckedContinuation<Value?, Never>) {
        self.continuation = Mutex(continuation)
    }

    func resume(returning value: Value?) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: value)
    }
}
