import CallStacks
import Foundation
import SymbolStores
import Synchronization
import TestSupport
import Testing

@testable import SymbolIntake

@Suite("Storage in a cluster whose clock differs from the machine's by 400 days", .ownThreads)
struct ClockTests {
    private static let day: Int64 = 86_400

    /// The clock of a cluster.
    private final class Clock: Sendable {
        private let time: Mutex<UnixTime>

        init(days: Int64) { time = Mutex(UnixTime.now().advanced(seconds: days * ClockTests.day)) }

        var now: UnixTime { time.withLock(\.self) }

        func advance(days: Int64) {
            time.withLock { $0 = $0.advanced(seconds: days * ClockTests.day) }
        }
    }

    @Test("files have its time of upload and last use", arguments: [-400, 400])
    func times(days: Int64) async throws {
        let clock = Clock(days: days)
        let intake = try Intake { $0.now = { clock.now } }
        let upload = clock.now
        _ = try await intake.upload(library(1))
        clock.advance(days: 1)
        #expect(await intake.names(identity(1)) == ["f"])
        try await intake.symbols.recordUses()
        let file = try #require(intake.catalogue.files.first)
        #expect(file.upload == upload)
        #expect(file.lastUse == clock.now)
    }

    @Test("retention goes by it", arguments: [-400, 400])
    func retention(days: Int64) async throws {
        let clock = Clock(days: days)
        let intake = try Intake {
            $0.now = { clock.now }
            $0.retention = SymbolRetention(ageSeconds: 30 * Self.day)
        }
        _ = try await intake.upload(library(1))
        clock.advance(days: 29)
        _ = try await intake.upload(library(2))
        await removeUnkept(of: intake)
        #expect(intake.catalogue.files.map(\.image) == [identity(1), identity(2)])
        clock.advance(days: 2)
        await removeUnkept(of: intake)
        #expect(intake.catalogue.files.map(\.image) == [identity(2)])
    }

    private func removeUnkept(of intake: Intake) async {
        var retention = RetentionClock(intake.storage.now, steady: .now)
        await intake.upkeep.removeUnkept(by: &retention)
    }

    @Test("a clock that jumps ahead while the service runs expires no symbols")
    func jump() async throws {
        let clock = Clock(days: 0)
        let intake = try Intake {
            $0.now = { clock.now }
            $0.retention = SymbolRetention(ageSeconds: 30 * Self.day)
        }
        _ = try await intake.upload(library(1))
        var retention = RetentionClock(clock.now, steady: .now)
        clock.advance(days: 3_650)
        await intake.upkeep.removeUnkept(by: &retention)
        #expect(intake.catalogue.files.map(\.image) == [identity(1)])
    }

    @Test("a symbol map without a debug file stays for a week of it", arguments: [-400, 400])
    func symbolMaps(days: Int64) async throws {
        let clock = Clock(days: days)
        let intake = try Intake { $0.now = { clock.now } }
        let draft = intake.storage.folders.newIncomingPath()
        try Data("map".utf8).write(to: URL(filePath: draft))
        let maps = intake.storage.symbolMaps
        try await maps.keep(fileAt: draft, as: .map(Orchard.kit), of: .everyone)
        clock.advance(days: 6)
        try await maps.removeUnused(catalogue: intake.catalogue)
        #expect(intake.files.count == 1)
        clock.advance(days: 2)
        try await maps.removeUnused(catalogue: intake.catalogue)
        #expect(intake.files == [])
    }
}
