import CallStacks
import Ingest
import JournalSupport
import PostgreSQL
import SymbolIntake
import TestSupport
import Testing

@testable import SharedDatabase

@Suite("Readers that no node has", .serialized, .ownThreads)
struct ForgottenReaderTests {
    @Test("an exporter is forgotten a day after the last node that had anything to do in its lane")
    func exporters() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let lane = try await node.journal()
            for reader in ["gone", "kept", "done"] { _ = try await lane.cursor(of: reader) }
            _ = try await lane.append([draft(1), draft(2)])
            try await lane.advance(JournalReaders.worker, to: 2)
            try await lane.advance("done", to: 2)
            func forgotten() async throws -> [String] {
                try await node.lanes.forgetReaders(except: ["kept"]).map(\.name)
            }
            #expect(try await forgotten() == [])
            try await node.lanes.release(lane.claim)
            #expect(try await forgotten() == [])
            try await cluster.run("UPDATE lane SET until = now() - interval '25 hours'")
            let found = try await node.lanes.forgetReaders(except: ["kept"])
            #expect(found.map(\.name) == ["gone"])
            #expect(found.map(\.entryCount) == [2])
            #expect(try await forgotten() == [])
        }
    }

    @Test("requests that wait for a first exporter are kept for their age, and adopted by one")
    func unsent() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let lane = try await node.journal()
            try await lane.reconcile(ReaderReconciliation(exporters: [], stored: []))
            var new = draft(2)
            new.arrival = UnixTime.now()
            _ = try await lane.append([draft(1, at: 50), new])
            try await lane.advance(JournalReaders.worker, to: 2)
            #expect(try await node.lanes.dropUnsent(after: .seconds(3_600)) == 0)
            try await node.lanes.release(lane.claim)
            try await cluster.run("UPDATE lane SET until = now() - interval '25 hours'")
            #expect(try await node.lanes.forgetReaders(except: ["file"]) == [])
            #expect(try await node.lanes.dropUnsent(after: .seconds(3_600)) == 1)
            #expect(try await node.lanes.dropUnsent(after: .seconds(3_600)) == 0)
            let worker = JournalReaders.worker
            #expect(try await node.lanes.renew([], finishing: [worker]).adoptable == [])
            #expect(try await node.lanes.adopt(finishing: [worker]) == nil)
            let readers = [worker, "file"]
            #expect(
                try await node.lanes.renew([], finishing: readers).adoptable == [lane.claim.lane])
            let claim = try #require(try await node.lanes.adopt(finishing: readers))
            let adopted = LaneJournal(of: claim, in: node.database)
            try await adopted.inheritUnsent(by: ["file"])
            #expect(try await adopted.cursor(of: "file") == 1)
            try await node.lanes.release(claim)
            try await cluster.run("UPDATE reader SET place = 2 WHERE name = 'file'")
            #expect(try await node.lanes.adopt(finishing: readers) == nil)
        }
    }

    @Test("the remembered backlog follows readers that move, come and go")
    func slowest() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let lane = try await node.journal()
            #expect(try await lane.backlog() == Backlog())
            _ = try await lane.cursor(of: "slow")
            _ = try await lane.append([draft(1), draft(2)])
            #expect(try await lane.backlog().count == 2)
            _ = try await lane.append([draft(3)])
            #expect(try await lane.backlog().count == 3)
            try await lane.commit(WorkerCommit(lastNumber: 3))
            #expect(try await lane.backlog().reader == "slow")
            try await lane.advance("slow", to: 1)
            #expect(try await lane.backlog().oldest == .at(2))
            try await lane.dropReader("slow")
            #expect(try await lane.backlog() == Backlog())
        }
    }
}
