import Foundation
import Problems
import Synchronization

@testable import SymbolIntake

/// Indexes that several nodes share, in memory.
final class MemoryIndexes: IndexStore {
    private struct State {
        var files: [DebugFileKey: [UInt8]] = [:]
        var underConstruction: Set<DebugFileKey> = []
        var isAway = false
        var isSilent = false
        var fetchCount = 0
    }

    private let state = Mutex(State())

    var files: [DebugFileKey: [UInt8]] {
        get { state.withLock { $0.files } }
        set { state.withLock { $0.files = newValue } }
    }

    /// Whether all requests fail.
    var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    /// Whether fetching waits until this is false.
    var isSilent: Bool {
        get { state.withLock { $0.isSilent } }
        set { state.withLock { $0.isSilent = newValue } }
    }

    /// The number of attempts to fetch an index.
    var fetchCount: Int { state.withLock { $0.fetchCount } }

    static let error = StorageError(Problem("s3://example", detail: "is away"))

    func fetch(
        _ file: DebugFileKey, format: Int, to path: String
    ) async throws(StorageError) -> Bool {
        state.withLock { $0.fetchCount += 1 }
        while isSilent { await Task.yield() }
        if isAway { throw Self.error }
        guard let bytes = files[file] else { return false }
        do { try Data(bytes).write(to: URL(fileURLWithPath: path)) } catch { throw Self.error }
        return true
    }

    func hasOther(
        than path: String, of file: DebugFileKey, format: Int
    ) async throws(StorageError) -> Bool {
        guard let bytes = files[file] else { return false }
        return FileManager.default.contents(atPath: path) != Data(bytes)
    }

    func keep(
        fileAt path: String, of file: DebugFileKey, format: Int
    ) async throws(StorageError) {
        guard !isAway, let bytes = FileManager.default.contents(atPath: path) else {
            throw Self.error
        }
        state.withLock { $0.files[file] = Array(bytes) }
    }

    func remove(_ file: DebugFileKey) async throws(StorageError) {
        if isAway { throw Self.error }
        state.withLock { $0.files[file] = nil }
    }

    func building<Result: Sendable>(
        _ file: DebugFileKey, format: Int, _ body: @Sendable () async throws -> Result
    ) async throws -> Result? {
        guard state.withLock({ $0.underConstruction.insert(file).inserted }) else { return nil }
        defer { state.withLock { _ = $0.underConstruction.remove(file) } }
        return try await body()
    }
}
