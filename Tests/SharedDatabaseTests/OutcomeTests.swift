import Foundation
import Ingest
import JournalSupport
import PostgreSQL
import PostgreSQLSupport
import Synchronization
import TestSupport
import Testing

@testable import SharedDatabase

/// Servers of these tests alone, because they are killed.
@Suite("Appends whose commit is cut off", .serialized, .ownThreads)
struct OutcomeTests {
    /// Kills the server while it commits an append, and starts it again after `change`.
    private func killDuringCommit(
        _ server: TestServer, _ cluster: TestCluster, then change: () async throws -> Void
    ) async throws {
        let isCommitting = await eventually(within: .seconds(300)) {
            let rows = try? await cluster.run(
                "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query = 'COMMIT'")
            return rows?.count == 1
        }
        #expect(isCommitting)
        try server.kill()
        try await change()
        try server.start()
    }

    /// Makes the commits of appends wait for a replica.
    private func waitInCommits(_ cluster: TestCluster) async throws {
        try await cluster.run(
            """
            CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql
            AS 'BEGIN SET LOCAL synchronous_commit = on; RETURN NULL; END'
            """)
        try await cluster.run(
            "CREATE TRIGGER wait AFTER INSERT ON entry_0 FOR EACH ROW EXECUTE FUNCTION wait()")
    }

    /// Adds a line to the settings of a server that does not run.
    private func configure(_ line: String, _ server: TestServer) throws {
        let file = server.folder.appendingPathComponent("data/postgresql.conf")
        let text = try String(contentsOf: file, encoding: .utf8)
        try Data((text + "\n\(line)\n").utf8).write(to: file)
    }

    @Test("an append that took effect is acknowledged")
    func kept() async throws {
        // A commit is durable, and then waits for a replica that does not exist.
        let server = try TestServer(
            configuration: "synchronous_standby_names = 'none'\nsynchronous_commit = local\n")
        let cluster = try TestCluster(on: server)
        try await cluster.withNode { node in
            let journal = try await node.journal()
            #expect(try await journal.append([draft(1)]) == [1])
            try await waitInCommits(cluster)
            async let numbers = journal.append([draft(2), draft(3)])
            try await killDuringCommit(server, cluster) {
                try configure("synchronous_standby_names = ''", server)
            }
            #expect(try await numbers == [2, 3])
            #expect(try await journal.append([draft(4)]) == [4])
            let entries = try await journal.entries(after: 0, count: 9, bytes: .max)
            #expect(entries.map(\.draft.key) == (1...4).map { draft($0).key })
        }
    }

    @Test("a payload whose append may have taken effect is known when it is posted again")
    func postedAgain() async throws {
        let server = try TestServer(
            configuration: "synchronous_standby_names = 'none'\nsynchronous_commit = local\n")
        let cluster = try TestCluster(on: server)
        try await cluster.withNode { node in
            let journal = try await node.journal()
            #expect(try await journal.append([payload(1)]) == [1])
            try await waitInCommits(cluster)
            let append = Task { try await journal.append([payload(2)]) }
            try await killDuringCommit(server, cluster) {
                try configure("synchronous_standby_names = ''", server)
            }
            await #expect(throws: JournalError.self) { try await append.value }
            #expect(try await journal.append([payload(2), payload(3)]) == [nil, 3])
            let keys = try await journal.entries([1, 2, 3], bytes: .max).map(\.draft.key)
            #expect(keys == (1...3).map { draft($0).key })
        }
    }

    @Test("an append that took no effect is refused, and the next one has its numbers")
    func notKept() async throws {
        let server = try TestServer()
        let cluster = try TestCluster(on: server)
        try await cluster.withNode { node in
            let journal = try await node.journal()
            #expect(try await journal.append([draft(1)]) == [1])
            try await cluster.run("CREATE TABLE slow (seconds integer)")
            try await cluster.run("INSERT INTO slow VALUES (600)")
            try await cluster.run(
                """
                CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql
                AS 'BEGIN PERFORM pg_sleep(seconds) FROM slow; RETURN NULL; END'
                """)
            try await cluster.run(
                """
                CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON entry_0
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()
                """)
            let append = Task { try await journal.append([draft(2)]) }
            try await killDuringCommit(server, cluster) {}
            await #expect(throws: JournalError.self) { try await append.value }
            try await cluster.run("UPDATE slow SET seconds = 0")
            #expect(try await journal.append([draft(3)]) == [2])
            let keys = try await journal.entries([1, 2], bytes: .max).map(\.draft.key)
            #expect(keys == [draft(1).key, draft(3).key])
        }
    }

    @Test("an append follows the entries of an earlier one that took effect late")
    func late() async throws {
        let cluster = try TestCluster()
        try await cluster.withNode { node in
            let journal = try await node.journal()
            #expect(try await journal.append([draft(1)]) == [1])
            // A statement of this claim that the server executes after the node has given it up.
            let other = LaneJournal(of: journal.claim, in: node.database)
            await #expect(throws: Never.self) { try await other.append([draft(2)]) }
            #expect(try await journal.append([draft(3)]) == [3])
            let keys = try await journal.entries([1, 2, 3], bytes: .max).map(\.draft.key)
            #expect(keys == (1...3).map { draft($0).key })
        }
    }

    @Test("one append that the database refuses does not affect others of its transaction")
    func refused() async throws {
        try await TestCluster().withNode { node in
            let journal = try await node.journal()
            let results = await withTaskGroup(of: Int?.self) { group in
                for number in 1...30 {
                    // The database stores no NUL character.
                    let app = number % 10 == 0 ? "com.example\0" : "com.example"
                    group.addTask {
                        let numbers = try? await journal.append([draft(number, app: app)])
                        return numbers?.first == nil ? nil : number
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.compactMap(\.self).count == 27)
            let entries = try await journal.entries(after: 0, count: 99, bytes: .max)
            #expect(entries.map(\.number) == Array(1...27))
            #expect(
                Set(entries.map(\.draft.key))
                    == Set(
                        results.compactMap(\.self).map { draft($0).key }))
        }
    }

    @Test("what is acknowledged is there, however often the server is killed meanwhile")
    func ledger() async throws {
        let server = try TestServer()
        let cluster = try TestCluster(on: server)
        try await cluster.withNode { node in
            let journal = try await node.journal()
            let ledger = Ledger()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<6 {
                    group.addTask {
                        var number = task
                        while !ledger.isComplete {
                            let drafts = [
                                draft(number, size: 300 * task), draft(number + 500_000, size: 20),
                            ]
                            number += 6
                            do {
                                ledger.note(try await journal.appendAll(drafts), drafts)
                            } catch {
                                // The server is away.
                                try await Task.sleep(for: .milliseconds(20))
                            }
                        }
                    }
                }
                group.addTask {
                    for round in 0..<15 {
                        let count = ledger.count
                        #expect(
                            await eventually(within: .seconds(300)) { ledger.count > count + 60 })
                        guard round % 3 == 2 else {
                            try await endSessions(of: cluster)
                            continue
                        }
                        try server.kill()
                        try server.start()
                    }
                    ledger.complete()
                }
                try await group.waitForAll()
            }
            try await expectAll(of: ledger, in: journal, cluster)
        }
    }

    /// Ends the sessions of all nodes.
    private func endSessions(of cluster: TestCluster) async throws {
        try await cluster.run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
    }

    private func expectAll(
        of ledger: Ledger, in journal: LaneJournal, _ cluster: TestCluster
    ) async throws {
        let stored = try await journal.entries(after: 0, count: 99_999, bytes: .max)
        #expect(stored.map(\.number) == Array(1...Int64(stored.count)))
        let keys = Dictionary(uniqueKeysWithValues: stored.map { ($0.number, $0.draft.key) })
        let acknowledged = ledger.acknowledged
        #expect(acknowledged.count >= 300)
        for (number, key) in acknowledged { #expect(keys[number] == key) }
        let sums = try await cluster.run(
            """
            SELECT l.total = (SELECT sum(length(body)) FROM entry)
                AND l.total = (SELECT max(total) FROM entry) FROM lane l
            """)
        #expect(try sums.first?.value(0, .bool) == true)
    }
}

/// The entries that were acknowledged.
private final class Ledger: Sendable {
    private struct State {
        var acknowledged: [Int64: EntryKey] = [:]
        var isComplete = false
    }

    private let state = Mutex(State())

    var isComplete: Bool { state.withLock(\.isComplete) }
    var count: Int { state.withLock { $0.acknowledged.count } }
    var acknowledged: [Int64: EntryKey] { state.withLock(\.acknowledged) }

    func note(_ numbers: [Int64], _ drafts: [JournalDraft]) {
        state.withLock { state in
            for (number, draft) in zip(numbers, drafts) {
                #expect(state.acknowledged.updateValue(draft.key, forKey: number) == nil)
            }
        }
    }

    func complete() { state.withLock { $0.isComplete = true } }
}
