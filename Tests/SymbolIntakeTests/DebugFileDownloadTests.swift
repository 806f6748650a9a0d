import CallStacks
import Synchronization
import TestSupport
import Testing

@testable import SymbolIntake

@Suite("Downloads of stored files", .ownThreads)
struct DebugFileDownloadTests {
    @Test("a download past the limit waits for another one to end")
    func limit() async throws {
        let limiter = DownloadLimiter()
        var slots: [DownloadLimiter.Slot] = []
        for _ in 0..<DownloadLimiter.limit { slots.append(try await limiter.slot()) }
        let waiting = Task { try await limiter.slot() }
        try await Task.sleep(for: .milliseconds(20))
        slots.removeLast()
        _ = try await waiting.value
        waiting.cancel()
    }

    @Test("a file is copied only once there is a slot, which is free again after the download")
    func slot() async throws {
        let intake = try Intake()
        let (file, blobs) = try await stored(in: intake)
        let limiter = DownloadLimiter()
        let downloads = intake.downloads(from: blobs, limiter: limiter)
        var slots: [DownloadLimiter.Slot] = []
        for _ in 0..<DownloadLimiter.limit { slots.append(try await limiter.slot()) }
        let waiting = Task { try await downloads.content(of: file)?.bytes(of: 0..<4) }
        try await Task.sleep(for: .milliseconds(100))
        #expect(blobs.fetchCount == 0)
        slots.removeLast()
        #expect(try await waiting.value == Array("\u{7f}ELF".utf8))
        #expect(blobs.fetchCount == 1)
        slots.append(try await limiter.slot())
    }

    @Test("a file is not copied if that leaves too little space, but one on the disk is sent")
    func space() async throws {
        let intake = try Intake()
        let (file, blobs) = try await stored(in: intake)
        let downloads = intake.downloads(from: blobs, leastFreeBytes: 1 << 60)
        let error = await #expect(throws: StorageError.self) {
            try await downloads.content(of: file)
        }
        #expect(error?.isFull == true)
        #expect(blobs.fetchCount == 0)
        let local = intake.downloads(from: blobs.inner, leastFreeBytes: 1 << 60)
        #expect(try await local.content(of: file) != nil)
    }

    /// Uploads a library, and returns its file with blobs as a cluster has them.
    private func stored(in intake: Intake) async throws -> (StoredDebugFile, RemoteBlobs) {
        _ = try await intake.upload(library(1))
        let file = try #require(try await intake.catalogue.debugFiles(of: identity(1)).first)
        return (file, RemoteBlobs(inner: BlobFolder(path: intake.storage.folders.blobs)))
    }
}

extension Intake {
    fileprivate func downloads(
        from blobs: any BlobStore, leastFreeBytes: Int64 = 0,
        limiter: DownloadLimiter = DownloadLimiter()
    ) -> DebugFileDownloads {
        var settings = storage.settings
        settings.leastFreeBytes = leastFreeBytes
        let storage = SymbolStorage(settings: settings, catalogue: catalogue, blobs: blobs)
        return DebugFileDownloads(StoredSymbolIndexes(storage), limiter: limiter)
    }
}

/// Blobs that are copied when they are needed.
private final class RemoteBlobs: BlobStore {
    let inner: BlobFolder
    private let fetches = Atomic(0)

    init(inner: BlobFolder) { self.inner = inner }

    var needsSpaceForCopies: Bool { true }

    var fetchCount: Int { fetches.load(ordering: .relaxed) }

    func keep(fileAt path: String, as name: String) async throws(StorageError) {
        try await inner.keep(fileAt: path, as: name)
    }

    func fetch(_ name: String, to path: String) async throws(StorageError) -> Bool {
        fetches.add(1, ordering: .relaxed)
        return try await inner.fetch(name, to: path)
    }

    func contains(_ name: String) async throws(StorageError) -> Bool {
        try await inner.contains(name)
    }

    func remove(_ name: String) async throws(StorageError) { try await inner.remove(name) }

    func names() async throws(StorageError) -> [String] { try await inner.names() }
}
