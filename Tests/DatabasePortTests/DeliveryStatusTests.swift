import CallStacks
import Ingest
import JournalSupport
import TestSupport
import Testing

@Suite("Delivery status of both databases", .serialized, .ownThreads)
struct DeliveryStatusTests {
    @Test(
        "exporters have the arrival of their oldest unfinished entry",
        arguments: DatabaseKind.allCases)
    func arrivals(kind: DatabaseKind) async throws {
        try await withDatabase(kind) { database in
            #expect(try await database.archives.deliveryStatus() == DeliveryStatus())
            for name in ["fast", "slow"] { _ = try await database.journal.cursor(of: name) }
            _ = try await database.journal.cursor(of: JournalReaders.worker)
            _ = try await database.journal.append((1...4).map { draft($0, at: Int64($0)) })
            try await database.journal.advance("fast", to: 4)
            try await database.journal.advance("slow", to: 2)
            let status = try await database.archives.deliveryStatus()
            #expect(status.oldestArrivals == ["slow": .at(3)])
        }
    }

    @Test(
        "held diagnostics count until they are released, and waiting ones once per image",
        arguments: DatabaseKind.allCases)
    func waiting(kind: DatabaseKind) async throws {
        try await withDatabase(kind) { database in
            _ = try await database.journal.append((1...3).map { draft($0) })
            let rows = [
                diagnostic(1, wanting: [wanted(1), wanted(2, isInApp: false)], heldUntil: 9),
                diagnostic(2, wanting: [wanted(1)], heldUntil: 20), diagnostic(3),
            ]
            try await database.journal.commit(WorkerCommit(lastNumber: 3, diagnostics: rows))
            var status = try await database.archives.deliveryStatus()
            #expect(status.heldCount == 2)
            #expect(status.waitingForAppCount == 2)
            #expect(status.waitingForSystemCount == 1)
            _ = try await database.journal.enqueueDue(count: 9, now: .at(10))
            _ = try await database.journal.wake(
                database.catalogue, waitingFor: image(1), since: .at(0), due: .at(30))
            status = try await database.archives.deliveryStatus()
            #expect(status.heldCount == 1)
            #expect(status.waitingForAppCount == 0)
            #expect(status.waitingForSystemCount == 1)
        }
    }
}
