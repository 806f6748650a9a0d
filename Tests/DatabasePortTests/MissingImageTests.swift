import CallStacks
import DebugFiles
import Ingest
import JournalSupport
import SymbolIntake
import TestSupport
import Testing

@Suite("Missing images of both databases", .serialized, .ownThreads)
struct MissingImageTests {
    /// Appends a number of entries and commits their diagnostics.
    private func commit(_ rows: [DiagnosticRecord], to database: any PortJournal) async throws {
        let last = rows.map(\.address.entry).max() ?? 0
        let count = try await database.entries(after: 0, count: 1_000, bytes: .max).count
        if count < last {
            _ = try await database.append((count + 1...Int(last)).map { draft($0) })
        }
        try await database.commit(WorkerCommit(lastNumber: last, diagnostics: rows))
    }

    private func missing(
        _ database: any PortJournal, _ query: MissingQuery = MissingQuery()
    ) async throws -> [String] {
        try await database.missingImages(query).map { "\($0.name ?? "?") \($0.waitingCount)" }
    }

    @Test(
        "missing images have their app versions, those with most diagnostics first",
        arguments: DatabaseKind.allCases)
    func missingImages(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, _ in
            var other = diagnostic(3, wanting: [wanted(1), wanted(3, isInApp: false)])
            other.app = "com.example.other"
            other.build = nil
            try await commit(
                [
                    diagnostic(1, wanting: [wanted(2), wanted(1)]),
                    diagnostic(2, wanting: [wanted(1), wanted(1)]), other,
                ], to: database)
            #expect(try await missing(database) == ["Image1 3", "Image3 1", "Image2 1"])
            #expect(try await missing(database, MissingQuery(limit: 1)) == ["Image1 3"])
            #expect(try await missing(database, MissingQuery(scope: .system)) == ["Image3 1"])
            let ofApp = MissingQuery(scope: .app, app: "com.example.shop")
            #expect(try await missing(database, ofApp) == ["Image1 3", "Image2 1"])
            #expect(
                try await database.missingImages(MissingQuery(limit: 1)) == [
                    MissingImage(
                        image: image(1), name: "Image1", architecture: "arm64", isInApp: true,
                        appVersions: ["1.1 (1)", "1.2 (2)", "1.3"], waitingCount: 3,
                        firstSeen: .at(1), lastSeen: .at(3))
                ])
            let versions = try await database.missingImages(ofApp).map(\.appVersions)
            #expect(versions == [["1.1 (1)", "1.2 (2)"], ["1.1 (1)"]])
        }
    }

    @Test(
        "an image without a name counts as the app's only until a diagnostic names it",
        arguments: DatabaseKind.allCases)
    func namelessImage(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, _ in
            var nameless = wanted(1)
            nameless.name = nil
            let system = wanted(1, isInApp: false)
            try await commit([diagnostic(1, wanting: [nameless])], to: database)
            #expect(try await missing(database, MissingQuery(scope: .app)) == ["? 1"])
            try await commit([diagnostic(2, wanting: [system])], to: database)
            #expect(try await missing(database, MissingQuery(scope: .system)) == ["Image1 2"])
            try await commit([diagnostic(3, wanting: [nameless])], to: database)
            #expect(try await missing(database, MissingQuery(scope: .app)) == [])
            let both = [diagnostic(4, wanting: [nameless]), diagnostic(5, wanting: [system])]
            try await commit(both, to: database)
            #expect(try await missing(database, MissingQuery(scope: .system)) == ["Image1 5"])
        }
    }

    @Test(
        "a summary of missing images counts them as the list does",
        arguments: DatabaseKind.allCases, 1...4 as ClosedRange<UInt64>)
    func missingSummary(kind: DatabaseKind, seed: UInt64) async throws {
        var numbers = SplitMix64(seed: seed)
        try await withArchive(kind) { database, _ in
            let rows = (1...20 as ClosedRange<Int64>).map { entry -> DiagnosticRecord in
                let images = (0..<3).map { _ -> WantedImage in
                    var image = wanted(
                        UInt8.random(in: 1...6, using: &numbers),
                        isInApp: Bool.random(using: &numbers))
                    image.app = ["a", nil].randomElement(using: &numbers) ?? nil
                    return image
                }
                var row = diagnostic(entry, wanting: images)
                row.app = ["a", "b"].randomElement(using: &numbers)
                return row
            }
            try await commit(rows, to: database)
            for scope in [nil, .app, .system] as [MissingQuery.Scope?] {
                for (app, boundApp) in [(nil, nil), ("a", nil), ("a", "a"), (nil, "b")]
                    as [(String?, String?)]
                {
                    let query = MissingQuery(scope: scope, app: app, boundApp: boundApp)
                    let images = try await database.missingImages(query)
                    let summary = try await database.missingSummary(query)
                    #expect(summary.imageCount == images.count)
                    #expect(
                        summary.largestWaitingCount == images.map(\.waitingCount).max() ?? 0)
                }
            }
        }
    }

    @Test("the newest fifty versions that want an image are kept", arguments: DatabaseKind.allCases)
    func manyVersions(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, _ in
            let rows = (1...60).map { diagnostic($0, wanting: [wanted(1)]) }
            try await commit(rows, to: database)
            let versions = try await database.missingImages(MissingQuery()).first?.appVersions
            #expect(versions == (11...60).map { "1.\($0) (\($0))" })
        }
    }

    @Test(
        "an arrived image wakes its diagnostics, and leaves the list",
        arguments: DatabaseKind.allCases)
    func waking(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, catalogue in
            try await commit(
                [
                    diagnostic(1, wanting: [wanted(1)]),
                    diagnostic(2, wanting: [wanted(1), wanted(2)]),
                    diagnostic(3, wanting: [wanted(1)]), diagnostic(4, wanting: [wanted(2)]),
                ], to: database)
            #expect(
                try await database.wake(catalogue, waitingFor: image(1), since: .at(2), due: .at(9))
                    == 2)
            #expect(
                try await database.wake(catalogue, waitingFor: image(1), since: .at(0), due: .at(2))
                    == 0)
            #expect(try await missing(database) == ["Image2 2"])
            #expect(try await database.diagnostic(uid: "2-0")?.wanted == [wanted(2)])
            #expect(try await database.enqueueDue(count: 5, now: .at(8)).isEmpty)
            let first = try await database.enqueueDue(count: 1, now: .at(50))
            try #require(first.map(\.number) == [5])
            #expect(first[0].draft.kind == .revision)
            #expect(first[0].draft.arrival == .at(50))
            #expect(first.map(\.address) == ["2:0"])
            let second = try await database.enqueueDue(count: 5, now: .at(50))
            #expect(second.map(\.address) == ["3:0"])
            #expect(try await database.enqueueDue(count: 5, now: .at(50)).isEmpty)
            let entries = try await database.entries(after: 4, count: 9, bytes: .max)
            #expect(entries.map(\.draft.body) == (first + second).map(\.draft.body))
        }
    }

    @Test(
        "more diagnostics than fit in one transaction are woken", arguments: DatabaseKind.allCases)
    func manyWake(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, catalogue in
            let rows = (1...1_300).map { diagnostic(1, $0, wanting: [wanted(1), wanted(2)]) }
            try await commit(rows, to: database)
            #expect(
                try await database.wake(catalogue, waitingFor: image(1), since: .at(0), due: .at(2))
                    == 1_300)
            #expect(try await missing(database) == ["Image2 1300"])
            #expect(try await database.enqueueDue(count: 2_000, now: .at(2)).count == 1_300)
        }
    }

    @Test(
        "a held diagnostic is enqueued once, when its hold ends", arguments: DatabaseKind.allCases)
    func holding(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, catalogue in
            try await commit(
                [
                    diagnostic(1, heldUntil: 20), diagnostic(2, heldUntil: 10), diagnostic(3),
                    diagnostic(4, wanting: [wanted(1)], heldUntil: 99),
                ], to: database)
            func enqueueDue(at seconds: Int64) async throws -> [String] {
                try await database.enqueueDue(count: 9, now: .at(seconds))
                    .map(\.address)
            }
            #expect(try await enqueueDue(at: 9).isEmpty)
            #expect(try await enqueueDue(at: 10) == ["2:0"])
            #expect(
                try await database.wake(catalogue, waitingFor: image(1), since: .at(0), due: .at(2))
                    == 1)
            #expect(try await enqueueDue(at: 20) == ["4:0", "1:0"])
            #expect(try await enqueueDue(at: 200).isEmpty)
            let row = try await database.diagnostic(uid: "4-0")
            #expect(row?.state == .released)
            #expect(row?.heldUntil == .at(99))
        }
    }

    @Test(
        "a diagnostic woken again during the debounce is enqueued at the later moment",
        arguments: DatabaseKind.allCases)
    func resting(kind: DatabaseKind) async throws {
        try await withArchive(kind) { database, catalogue in
            try await commit([diagnostic(1, wanting: [wanted(1), wanted(2)])], to: database)
            #expect(
                try await database.wake(catalogue, waitingFor: image(1), since: .at(0), due: .at(4))
                    == 1)
            #expect(
                try await database.wake(catalogue, waitingFor: image(2), since: .at(0), due: .at(6))
                    == 1)
            #expect(try await database.enqueueDue(count: 9, now: .at(5)).isEmpty)
            #expect(try await database.enqueueDue(count: 9, now: .at(6)).count == 1)
        }
    }
}
