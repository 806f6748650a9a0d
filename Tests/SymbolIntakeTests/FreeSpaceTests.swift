import CallStacks
import Foundation
import SymbolStores
import TestSupport
import Testing

@testable import SymbolIntake

@Suite("Free space", .ownThreads)
struct FreeSpaceTests {
    /// More than the size of any disk.
    private static let all: Int64 = 1 << 60

    @Test("space is short if less than the bound is free")
    func shortage() throws {
        let disk = Disk(folder: "/")
        let free = try #require(disk.freeBytes)
        let size = try #require(disk.byteCount)
        #expect(free <= size)
        #expect(!FreeSpace(disk, leastBytes: 0).isShort())
        #expect(FreeSpace(disk, leastBytes: Self.all).isShort())
        #expect(FreeSpace(disk, leastBytes: 0).isShort(for: Self.all))
        #expect(FreeSpace(disk).leastBytes == min(1 << 30, size / 16))
    }

    @Test("space is never short if the system does not report it")
    func unknown() {
        let disk = Disk(folder: "/no/such/folder")
        #expect(disk.freeBytes == nil)
        #expect(!FreeSpace(disk, leastBytes: Self.all).isShort(for: Self.all))
    }

    @Test("without free space an upload is refused before it is read")
    func refusal() throws {
        let intake = try Intake { $0.leastFreeBytes = Self.all }
        let error = #expect(throws: IntakeError.self) { try intake.bundles.checkFreeSpace() }
        #expect(error?.reason == .full)
    }

    @Test("a worker that leaves too little space is killed, and nothing of its upload stays")
    func worker() async throws {
        let intake = try Intake { $0.leastFreeBytes = Self.all }
        let error = await #expect(throws: IntakeError.self) {
            try await intake.upload([UInt8](repeating: 7, count: 100))
        }
        #expect(error?.reason == .full)
        let left = try FileManager.default.contentsOfDirectory(
            atPath: intake.storage.folders.incoming)
        #expect(left == [])
    }
}
