import CallStacks
import DebugFiles
import Ingest
import JournalSupport
import SymbolIntake
import TestSupport
import Testing

@Suite("Arrivals of symbols in both databases", .ownThreads)
struct SymbolArrivalTests {
    @Test(
        "none is missed, in any order of uploads, runs, replays, removals and kills",
        arguments: DatabaseKind.allCases, UInt64(0)..<24)
    func anyOrder(kind: DatabaseKind, seed: UInt64) async throws {
        let resendsForSystem = seed.isMultiple(of: 2)
        let forgotten = try await forgotten(
            kind, seed: seed, resendsForSystem: resendsForSystem)
        #expect(forgotten == [])
    }

    /// Returns the diagnostics that miss symbols in the end, and checks the others.
    private func forgotten(
        _ kind: DatabaseKind, seed: UInt64, resendsForSystem: Bool = false,
        flaw: SimulatedService.Flaw? = nil
    ) async throws -> [String] {
        var service = SimulatedService(
            on: try await openDatabase(kind), seed: seed, resendsForSystem: resendsForSystem,
            flaw: flaw)
        for _ in 0..<160 { try await service.step() }
        try await service.finish()
        let forgotten = try await service.forgotten()
        if flaw == nil { service.expectBoundedRevisions() }
        try await service.close()
        return forgotten.map { "\($0)" }
    }

    @Test(
        "some are missed if commits do not ask for them, or count those that lookups do not reflect",
        arguments: DatabaseKind.allCases,
        [SimulatedService.Flaw.ignoresChanges, .countsUnreflectedChanges])
    func flawed(kind: DatabaseKind, flaw: SimulatedService.Flaw) async throws {
        for seed: UInt64 in 0..<100 {
            if try await !forgotten(kind, seed: seed, flaw: flaw).isEmpty { return }
        }
        Issue.record("no seed has an order that misses any")
    }

    @Test("changes are listed by their images", arguments: DatabaseKind.allCases)
    func lists(kind: DatabaseKind) async throws {
        try await withArchive(kind) { _, catalogue in
            let none = try await catalogue.symbolChanges(after: 0)
            #expect(none == SymbolChangeList(images: [], lastNumber: 0))
            for number: UInt8 in 1...2 {
                _ = try await catalogue.add(debugFile(of: image(number)))
            }
            let both = try await catalogue.symbolChanges(after: 0)
            #expect(both == SymbolChangeList(images: [image(1), image(2)], lastNumber: 2))
            _ = try await catalogue.remove(image(1), of: nil)
            let removal = try await catalogue.symbolChanges(after: 2)
            #expect(removal == SymbolChangeList(images: [image(1)], lastNumber: 3))
            let later = try await catalogue.symbolChanges(after: 9)
            #expect(later == SymbolChangeList(images: [], lastNumber: 3))
        }
    }

    @Test(
        "a change awakens those who wait, and those whose lookups did not reflect it",
        arguments: DatabaseKind.allCases)
    func bothSides(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, catalogue in
            _ = try await database.append((1...4).map { draft($0) })
            let before = diagnostic(1, wanting: [wanted(1)])
            try await database.commit(WorkerCommit(lastNumber: 1, diagnostics: [before]))
            #expect(try await database.awakenedImages() == [])
            let change = try await catalogue.add(debugFile(of: image(1)))
            #expect(change == .added(number: 1))
            #expect(try await database.awakenedImages() == [image(1)])
            let terms = ResendTerms(oldest: .at(0), due: .at(5))
            #expect(try await database.markAll(waitingFor: image(1), terms) == 1)
            #expect(try await database.awakenedImages() == [])

            let during = diagnostic(2, wanting: [wanted(1), wanted(2)])
            try await database.commit(
                WorkerCommit(lastNumber: 2, diagnostics: [during], symbolsSeen: 0))
            #expect(try await database.awakenedImages() == [image(1)])
            #expect(try await database.markAll(waitingFor: image(1), terms) == 1)

            let after = diagnostic(3, wanting: [wanted(1), wanted(2)])
            try await database.commit(
                WorkerCommit(lastNumber: 3, diagnostics: [after], symbolsSeen: 1))
            #expect(try await database.awakenedImages() == [])
            #expect(try await database.enqueueDue(count: 9, now: .at(9)).count == 2)
        }
    }

    @Test(
        "system images end waits or not, with and without re-sends",
        arguments: DatabaseKind.allCases)
    func systemImages(kind: DatabaseKind) async throws {
        for (includesSystem, warnings, markedCount, waitingCount): (Bool, [String], Int, Int) in [
            (false, [], 0, 0), (true, [], 1, 0),
            (false, ["symbols-file-missing: copy it"], 0, 1),
            (true, ["symbols-file-missing: copy it"], 1, 0),
        ] {
            try await withArchive(kind) { database, catalogue in
                _ = try await database.append([draft(1)])
                try await database.commit(
                    WorkerCommit(lastNumber: 1, diagnostics: [diagnostic(1, wanting: [wanted(1)])]))
                let file = debugFile(
                    of: image(1), .symbols, kind: StoredDebugFile.systemKind, warnings: warnings)
                _ = try await catalogue.add(file)
                let terms = ResendTerms(
                    oldest: .at(0), due: .at(5), includesSystem: includesSystem)
                let count = try await database.markAll(waitingFor: image(1), terms)
                #expect(count == markedCount)
                let missing = try await database.missingImages(MissingQuery())
                #expect(missing.map(\.waitingCount).reduce(0, +) == waitingCount)
                #expect(try await database.awakenedImages() == [])
            }
        }
    }

    /// A system image with all its symbols, as found by a lookup.
    private func stored(_ number: UInt8) -> WantedImage {
        var image = wanted(number, isInApp: false)
        image.isStored = true
        return image
    }

    private func systemFile(_ number: UInt8) -> StoredDebugFile {
        debugFile(of: image(number), .symbols, kind: StoredDebugFile.systemKind)
    }

    private func waitingCounts(_ database: any PortJournal) async throws -> [Int] {
        try await database.missingImages(MissingQuery()).map(\.waitingCount)
    }

    @Test(
        "diagnostics wait for removed system images, also for those removed before their commit",
        arguments: DatabaseKind.allCases)
    func removals(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, catalogue in
            _ = try await database.append([draft(1), draft(2)])
            for number: UInt8 in 1...2 { _ = try await catalogue.add(systemFile(number)) }
            let before = diagnostic(1, wanting: [stored(1)])
            try await database.commit(
                WorkerCommit(lastNumber: 1, diagnostics: [before], symbolsSeen: 2))
            #expect(try await waitingCounts(database) == [])
            for number: UInt8 in 1...2 { _ = try await catalogue.remove(image(number), of: nil) }
            #expect(try await catalogue.lastSymbolChange() == 4)
            #expect(try await waitingCounts(database) == [1])
            let during = diagnostic(2, wanting: [stored(1), stored(2)])
            try await database.commit(
                WorkerCommit(lastNumber: 2, diagnostics: [during], symbolsSeen: 2))
            #expect(try await waitingCounts(database) == [2, 1])
            #expect(try await database.awakenedImages() == [])
        }
    }

    @Test(
        "diagnostics symbolicated before and after the arrival of a system image wait alike",
        arguments: DatabaseKind.allCases)
    func suspension(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, catalogue in
            _ = try await database.append((1...3).map { draft($0) })
            let terms = ResendTerms(oldest: .at(0), due: .at(5))
            for (entry, image): (Int64, WantedImage) in [(1, wanted(1)), (2, stored(1))] {
                if entry == 2 { _ = try await catalogue.add(systemFile(1)) }
                try await database.commit(
                    WorkerCommit(
                        lastNumber: entry, diagnostics: [diagnostic(entry, wanting: [image])],
                        symbolsSeen: entry - 1))
            }
            #expect(try await database.markAll(waitingFor: image(1), terms) == 0)
            #expect(try await waitingCounts(database) == [])
            let late = diagnostic(3, wanting: [wanted(1)])
            try await database.commit(
                WorkerCommit(lastNumber: 3, diagnostics: [late], symbolsSeen: 0))
            #expect(try await database.awakenedImages() == [image(1)])
            #expect(try await database.markAll(waitingFor: image(1), terms) == 0)
            #expect(try await waitingCounts(database) == [])
            _ = try await catalogue.remove(image(1), of: nil)
            #expect(try await waitingCounts(database) == [3])
        }
    }

    @Test(
        "symbols that are removed before the next step suspend no wait",
        arguments: DatabaseKind.allCases)
    func removalBeforeStep(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, catalogue in
            _ = try await database.append([draft(1)])
            try await database.commit(
                WorkerCommit(lastNumber: 1, diagnostics: [diagnostic(1, wanting: [wanted(1)])]))
            _ = try await catalogue.add(systemFile(1))
            _ = try await catalogue.remove(image(1), of: nil)
            let terms = ResendTerms(oldest: .at(0), due: .at(5))
            #expect(try await database.markAll(waitingFor: image(1), terms) == 0)
            #expect(try await database.awakenedImages() == [])
            #expect(try await waitingCounts(database) == [1])
        }
    }

    @Test(
        "a removal counts for the apps that may not use the files that are left",
        arguments: DatabaseKind.allCases)
    func removalOfOneOwner(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, catalogue in
            _ = try await database.append([draft(1)])
            var (own, other) = (systemFile(1), systemFile(1))
            (own.owner, other.owner) = (.app("a"), .app("b"))
            _ = try await catalogue.add(own)
            _ = try await catalogue.add(other)
            var bound = stored(1)
            bound.app = "a"
            let row = diagnostic(1, wanting: [bound, stored(1)])
            try await database.commit(
                WorkerCommit(lastNumber: 1, diagnostics: [row], symbolsSeen: 2))
            #expect(try await catalogue.remove(own))
            let waiting = try await database.diagnostics(DiagnosticQuery()).flatMap(\.wanted)
            #expect(waiting.map(\.app) == ["a"])
            #expect(try await catalogue.remove(other))
            let all = try await database.diagnostics(DiagnosticQuery()).flatMap(\.wanted)
            #expect(all.map(\.app) == ["a", nil])
        }
    }

    @Test("an awakening ends with the last diagnostic that waits", arguments: DatabaseKind.allCases)
    func removed(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, catalogue in
            _ = try await database.append([draft(1)])
            var row = diagnostic(1, wanting: [wanted(1)])
            try await database.commit(WorkerCommit(lastNumber: 1, diagnostics: [row]))
            _ = try await catalogue.add(debugFile(of: image(1)))
            #expect(try await database.awakenedImages() == [image(1)])
            row.wanted = []
            try await database.commit(WorkerCommit(lastNumber: 1, revised: [row], symbolsSeen: 1))
            #expect(try await database.awakenedImages() == [])
        }
    }
}
