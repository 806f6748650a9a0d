import CallStacks
import Logging

/// What has to be done to stored symbols now and then.
public struct StorageUpkeep: Sendable {
    let storage: SymbolStorage
    let symbols: StoredSymbols

    private static let pauseSeconds: Int64 = 10
    /// Pauses between notes of what was used.
    private static let pausesPerNote = 6
    /// Pauses between sweeps: a day.
    private static let pausesPerSweep = 8_640

    public init(_ storage: SymbolStorage, _ symbols: StoredSymbols) {
        self.storage = storage
        self.symbols = symbols
    }

    /// Works until the task is cancelled. What fails is logged and done again the next time.
    public func run() async {
        var count = 0
        while !Task.isCancelled {
            if count % Self.pausesPerSweep == 0 { await sweep() }
            if count % Self.pausesPerNote == 0 { await removeUnkept() }
            symbols.giveBackPages()
            symbols.report()
            count += 1
            try? await Task.sleep(for: .seconds(Self.pauseSeconds))
        }
        await noteUses()
    }

    private func noteUses() async {
        do { try await symbols.noteUses() } catch {
            storage.logger.warning("symbols: uses are not noted: \(error)")
        }
    }

    /// Applies retention, and notes uses before it.
    private func removeUnkept() async {
        do {
            let count = try await applyRetention(now: .now())
            if count > 0 { storage.logger.info("symbols: \(count) are no longer kept") }
        } catch {
            storage.logger.warning("symbols: retention failed: \(error)")
        }
    }

    private func sweep() async {
        do { try await removeOrphans() } catch {
            storage.logger.warning("symbols: are not swept: \(error)")
        }
    }
}
