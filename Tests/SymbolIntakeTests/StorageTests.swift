import CallStacks
import Foundation
import TestSupport
import Testing

@testable import SymbolIntake

@Suite("Retention and removal of debug files", .ownThreads)
struct StorageTests {
    private static let day: Int64 = 86_400
    private static let now = UnixTime(rawValue: 1_800_000_000_000)

    /// Sets the last use of rows to a number of days ago.
    private func age(_ intake: Intake, _ number: UInt8, days: Int64) {
        intake.catalogue.change(identity(number)) {
            $0.upload = Self.now.advanced(seconds: -90 * Self.day)
            $0.lastUse = Self.now.advanced(seconds: -days * Self.day)
        }
    }

    @Test("a file unused for longer than the age limit is removed with its blob and index")
    func byAge() async throws {
        let intake = try Intake { $0.retention = SymbolRetention(ageSeconds: 30 * Self.day) }
        for number in [1, 2, 3] as [UInt8] { _ = try await intake.upload(library(number)) }
        age(intake, 1, days: 31)
        age(intake, 2, days: 29)
        age(intake, 3, days: 40)
        #expect(try await intake.upkeep.applyRetention(now: Self.now) == 2)
        #expect(intake.catalogue.files.map(\.image) == [identity(2)])
        #expect(intake.files.count == 2)
        #expect(await intake.names(identity(1)) == ["missing_image"])
        #expect(await intake.names(identity(2)) == ["f"])
    }

    @Test("the least recently used files are removed until the rest is within the size limit")
    func bySize() async throws {
        let intake = try Intake { $0.retention = SymbolRetention(bytes: 1) }
        let roomy = try Intake { $0.retention = SymbolRetention(bytes: 1 << 30) }
        for number in [1, 2] as [UInt8] {
            _ = try await intake.upload(library(number))
            _ = try await roomy.upload(library(number))
        }
        #expect(try await intake.upkeep.applyRetention(now: Self.now) == 2)
        #expect(intake.files == [])
        #expect(intake.catalogue.sumCount == 1)
        #expect(try await roomy.upkeep.applyRetention(now: Self.now) == 0)
        #expect(roomy.files.count == 4)
    }

    @Test("a use that is not yet in the catalogue keeps a file")
    func recentUse() async throws {
        let intake = try Intake { $0.retention = SymbolRetention(ageSeconds: 30 * Self.day) }
        _ = try await intake.upload(library(1))
        intake.catalogue.change(identity(1)) {
            $0.upload = UnixTime(rawValue: 0)
            $0.lastUse = UnixTime(rawValue: 0)
        }
        _ = await intake.names(identity(1))
        #expect(try await intake.upkeep.applyRetention(now: .now()) == 0)
        #expect(intake.catalogue.files.count == 1)
    }

    @Test("blobs and indexes without a row are removed, and nothing else")
    func orphans() async throws {
        let intake = try Intake()
        for number in [1, 2] as [UInt8] { _ = try await intake.upload(library(number)) }
        let foreign = intake.storage.folders.blobs + "/README"
        try Data().write(to: URL(fileURLWithPath: foreign))
        _ = try await intake.catalogue.remove(identity(1), of: nil)
        try await intake.upkeep.removeOrphans()
        #expect(intake.files.count == 3)
        #expect(intake.files.contains("blobs/README"))
        #expect(await intake.names(identity(2)) == ["f"])
    }

    @Test("a removed identity disappears at once, and its shared blob stays for the other slice")
    func removed() async throws {
        let intake = try Intake()
        _ = try await intake.upload(Orchard.universal)
        #expect(await intake.names(Orchard.universalArm) != ["missing_image"])
        let removed = try await intake.removal.remove(Orchard.universalArm)
        #expect(removed.map(\.image) == [Orchard.universalArm])
        #expect(await intake.names(Orchard.universalArm) == ["missing_image"])
        #expect(intake.files.count == 2)
        _ = try await intake.removal.remove(Orchard.universalX86)
        #expect(intake.files == [])
        #expect(try await intake.removal.remove(Orchard.universalX86) == [])
    }

    @Test("a removed build's own files and images are removed")
    func removedBuild() async throws {
        let intake = try Intake()
        _ = try await intake.upload(library(1), build: Orchard.build)
        _ = try await intake.upload(library(2))
        #expect(intake.symbols.appImages() == [identity(1)])
        let removed = try await intake.removal.remove(Orchard.build)
        #expect(removed?.map(\.image) == [identity(1)])
        #expect(intake.symbols.appImages() == [])
        #expect(await intake.names(identity(2)) == ["f"])
        #expect(try await intake.removal.remove(Orchard.build) == nil)
    }
}
