import CallStacks
import Logging

/// The periodic maintenance of stored symbols.
public struct StorageMaintenance: Sendable {
    let storage: SymbolStorage
    let symbols: StoredSymbolIndexes

    private static let pauseSeconds: Int64 = 10
    /// The number of pauses between applications of retention.
    private static let pausesPerNote = 6
    /// The number of pauses between removals of orphans, which take a day.
    private static let pausesPerSweep = 8_640

    public init(_ storage: SymbolStorage, symbols: StoredSymbolIndexes) {
        self.storage = storage
        self.symbols = symbols
    }

    /// Runs until the task is cancelled. Failures are logged, and the work is retried the next
    /// time.
    public func run() async {
        var clock = RetentionClock(storage.now, steady: .now)
        var count = 0
        while !Task.isCancelled {
            if count % Self.pausesPerSweep == 0 { await sweep() }
            if count % Self.pausesPerNote == 0 {
                await removeUnkept(by: &clock)
                await removeExpiredChunks()
            }
            storage.chunks.removeExpired()
            await symbols.readUnread()
            await symbols.openDelayed()
            symbols.limitLocalFiles()
            symbols.releasePages()
            symbols.report()
            count += 1
            try? await Task.sleep(for: .seconds(Self.pauseSeconds))
        }
        await recordUses()
    }

    private func recordUses() async {
        do { try await symbols.recordUses() } catch {
            storage.logger.warning("symbols: recording last uses failed: \(error)")
        }
    }

    /// Applies retention, which records uses first.
    func removeUnkept(by clock: inout RetentionClock) async {
        let time = clock.time(wall: storage.now, steady: .now)
        do {
            let count = try await applyRetention(now: time)
            if count > 0 { storage.logger.info("symbols: retention removed \(count) debug files") }
        } catch {
            storage.logger.warning("symbols: retention failed: \(error)")
        }
    }

    private func removeExpiredChunks() async {
        do { try await storage.chunks.removeExpiredShared() } catch {
            storage.logger.warning("symbols: removing unused chunks failed: \(error)")
        }
    }

    private func sweep() async {
        do {
            try await removeOrphans()
            // These files belong to this node alone, so their times are those of its own clock.
            try storage.assembled.removeExpired(at: .now())
            try await storage.symbolMaps.removeUnused(catalogue: storage.catalogue)
        } catch {
            storage.logger.warning("symbols: removing orphans failed: \(error)")
        }
    }
}
