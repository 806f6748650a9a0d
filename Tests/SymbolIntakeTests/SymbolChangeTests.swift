import CallStacks
import Symbolication
import TestSupport
import Testing

@testable import SymbolIntake

@Suite("Changes of symbols")
struct SymbolChangeTests {
    @Test("an upload that stores a file is one change, and so is its removal; lookups reflect both")
    func uploads() async throws {
        let intake = try Intake()
        #expect(await intake.names(identity(1)) == ["missing_image"])
        #expect(intake.symbols.lastReflected == 0)
        _ = try await intake.upload(library(1))
        #expect(intake.catalogue.changes == [identity(1)])
        #expect(intake.symbols.lastReflected == 1)
        #expect(await intake.names(identity(1)) == ["f"])
        _ = try await intake.upload(library(1))
        #expect(intake.catalogue.changes.count == 1, "a duplicate")
        _ = try await intake.upload(library(2))
        #expect(intake.symbols.lastReflected == 2)
        #expect(intake.arrived == [identity(1), identity(2)])
        _ = try await intake.removal.remove(identity(1))
        #expect(intake.catalogue.changes == [identity(1), identity(2), identity(1)])
        #expect(intake.symbols.lastReflected == 3)
        #expect(await intake.names(identity(1)) == ["missing_image"])
    }

    @Test("an index that is built again is a change of its owner's file")
    func refreshing() async throws {
        let intake = try Intake()
        _ = try await intake.upload(library(1), of: "a")
        _ = try await intake.upload(library(2), of: "b")
        try await intake.bundles.refresh([identity(1), identity(2), identity(3)], of: .app("a"))
        #expect(intake.catalogue.changes == [identity(1), identity(2), identity(1)])
        #expect(intake.symbols.lastReflected == 3)
        #expect(intake.tidings.last == [identity(1)])
        #expect(!intake.symbols.isArriving(identity(1)))
        #expect(await intake.names(identity(1)) == ["f"])
    }

    @Test("another process reflects changes once it has read them")
    func otherProcess() async throws {
        let intake = try Intake()
        let other = StoredSymbolIndexes(intake.storage)
        func isFound() async -> Bool {
            if case .found = await other.symbols(for: identity(1), access: .everything) {
                true
            } else {
                false
            }
        }
        #expect(await !isFound())
        _ = try await intake.upload(library(1))
        #expect(await !isFound(), "a miss is remembered")
        try await other.reflectChanges()
        #expect(await isFound())
        #expect(other.lastReflected == 1)
        _ = try await intake.removal.remove(identity(1))
        #expect(await isFound())
        try await other.reflectChanges()
        #expect(await !isFound())
    }

    @Test("a restarted process reflects the changes of earlier ones")
    func restart() async throws {
        let intake = try Intake()
        _ = try await intake.upload(library(1))
        let next = StoredSymbolIndexes(intake.storage)
        #expect(next.lastReflected == 0)
        try await next.prepare()
        #expect(next.lastReflected == 1)
    }
}
