import CallStacks
import Foundation
import SymbolStores
import TestSupport
import Testing

@testable import SymbolIntake

@Suite("Free space")
struct FreeSpaceTests {
    /// More than any disk has.
    private static let all: Int64 = 1 << 60

    @Test("is short where less is left than there must be")
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

    @Test("is never short where the system does not tell")
    func unknown() {
        let disk = Disk(folder: "/no/such/folder")
        #expect(disk.freeBytes == nil)
        #expect(!FreeSpace(disk, leastBytes: Self.all).isShort(for: Self.all))
    }

    @Test("an upload is refused as for a full disk before it is read")
    func refusal() throws {
        let intake = try Intake { $0.leastFreeBytes = Self.all }
        let error = #expect(throws: IntakeError.self) { try intake.bundles.checkFreeSpace() }
        #expect(error?.reason == .full)
    }

    @Test("a child that leaves too little is ended, and nothing of its upload stays")
    func child() async throws {
        let intake = try Intake { $0.leastFreeBytes = Self.all }
        let error = await #expect(throws: IntakeError.self) {
            try await intake.take([UInt8](repeating: 7, count: 100))
        }
        #expect(error?.reason == .full)
        let left = try FileManager.default.contentsOfDirectory(
            atPath: intake.storage.folders.incoming)
        #expect(left == [])
    }
}
