import CallStacks
import Crypto
import Foundation
import TestSupport
import Testing

@testable import SymbolIntake

@Suite("Stored chunks", .ownThreads)
struct ChunkStoreTests {
    private let sender = ChunkSender(app: nil)

    /// Stores a chunk, and returns its checksum.
    @discardableResult
    private func keep(_ bytes: [UInt8], in store: ChunkStore) throws -> SHA1Checksum {
        let checksum = SHA1Checksum(digest: Insecure.SHA1.hash(data: bytes))
        var draft = try store.draft(isCompressed: false)
        try draft.write(bytes.span)
        try store.keep(draft, as: checksum, from: sender, limit: 1 << 20)
        return checksum
    }

    @Test("a chunk that is sent again while it expires has its file")
    func sentAgain() async throws {
        let intake = try Intake()
        let store = intake.storage.chunks
        // Many expire at once, so that some are sent again before their turn.
        let chunks = (0..<200).map { [UInt8($0)] }
        for chunk in chunks { try keep(chunk, in: store) }
        async let expiry: Void = store.removeExpired(at: .now().advanced(seconds: 1_000_000))
        let checksums = try (chunks + chunks).map { try keep($0, in: store) }
        await expiry
        let missing = Set(try await store.missing(among: checksums, from: sender))
        #expect(missing.count < chunks.count)
        for checksum in Set(checksums).subtracting(missing) {
            let target = intake.storage.folders.newIncomingPath()
            #expect(try await store.join([checksum], from: sender, to: target) == checksum)
        }
    }

    @Test("a file is not joined if it would leave too little free space")
    func fullDisk() async throws {
        let intake = try Intake()
        let folders = intake.storage.folders
        let checksum = try keep([1, 2, 3], in: intake.storage.chunks)
        let space = FreeSpace(Disk(folder: folders.incoming), leastBytes: 1 << 60)
        let full = ChunkStore(folders: folders, space: space)
        try full.prepare()
        let target = folders.newIncomingPath()
        let error = await #expect(throws: StorageError.self) {
            _ = try await full.join([checksum], from: sender, to: target)
        }
        #expect(error?.isFull == true)
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test("chunks beyond the limit for all are refused")
    func limit() throws {
        let intake = try Intake()
        let store = intake.storage.chunks
        try keep([UInt8](repeating: 1, count: 1 << 19), in: store)
        try keep([UInt8](repeating: 2, count: 1 << 19), in: store)
        #expect(throws: ChunkError.self) { try keep([3], in: store) }
    }
}
