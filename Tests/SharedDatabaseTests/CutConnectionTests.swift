import CallStacks
import Foundation
import Ingest
import JournalSupport
import PostgreSQL
import PostgreSQLSupport
import ProxySupport
import SymbolIntake
import TestSupport
import Testing

@testable import SharedDatabase

/// Connections that are cut after each message of an operation, in either direction.
///
/// The tests try some of the messages; `SYMBOLIST_CUT_COUNT` sets how many, up to all of the first
/// 200.
@Suite("Connections that are cut", .serialized, .ownThreads)
struct CutConnectionTests {
    private static let sampleCount =
        ProcessInfo.processInfo.environment["SYMBOLIST_CUT_COUNT"].flatMap { Int($0) } ?? 6
    private static let messageLimit = 200

    /// A node whose connections go through a proxy, and a connection beside it.
    private struct Cluster {
        let cluster: TestCluster
        let proxy: TCPProxy
        let node: TestNode

        func number(_ text: String) async throws -> Int64? {
            try await cluster.run(text).first?.optional(0, .int8)
        }

        /// Runs an operation while its connection is cut after a number of messages.
        ///
        /// - Returns: Its result, or `nil` if it failed.
        func cut<Value>(
            after count: Int, _ body: () async throws -> Value
        ) async throws -> Value? {
            proxy.fault = .cutAfterMessages(count)
            let result = try? await body()
            proxy.fault = nil
            // The next connection is open before it is used, and cut.
            #expect(await eventually { (try? await node.database.byteCount()) != nil })
            return result
        }
    }

    private func withCluster(_ body: (Cluster) async throws -> Void) async throws {
        let cluster = try TestCluster()
        let proxy = try await TCPProxy(to: .socket(path: cluster.server.socketPath))
        let url =
            "postgres://symbolist@127.0.0.1:\(proxy.port)/\(cluster.name)?sslmode=disable"
            + "&gssencmode=disable"
        let database = try await SharedDatabase(
            try ConnectionSettings(url: url),
            limits: PoolLimits(connections: 2, acquisition: .seconds(300)))
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await body(
                    Cluster(cluster: cluster, proxy: proxy, node: TestNode(in: database))))
        } catch { result = .failure(error) }
        await database.close()
        try await proxy.close()
        try result.get()
    }

    /// Returns the numbers of messages after which to cut a connection: 0, and a sample of those that
    /// an operation has.
    private func positions(
        in cluster: Cluster, seed: UInt64, of body: () async throws -> Void
    ) async throws -> [Int] {
        let more = 100 * Self.messageLimit
        cluster.proxy.fault = .cutAfterMessages(more)
        try await body()
        let count = more - cluster.proxy.countUntilCut
        cluster.proxy.fault = nil
        #expect(count > 8)
        var numbers = SplitMix64(seed: seed)
        let all = Array(0...min(count, Self.messageLimit - 1))
        return all.shuffled(using: &numbers).prefix(Self.sampleCount).sorted()
    }

    /// Returns all entries. A read may return only those that are in memory.
    private func entries(of journal: some Journal) async throws -> [JournalEntry] {
        var entries: [JournalEntry] = []
        while true {
            let next = try await journal.entries(
                after: entries.last?.number ?? 0, count: 9_999, bytes: .max)
            if next.isEmpty { return entries }
            entries += next
        }
    }

    @Test("an append whose connection is cut is stored once, or refused and not stored")
    func append() async throws {
        try await withCluster { cluster in
            let journal = try await cluster.node.journal()
            let positions = try await positions(in: cluster, seed: 1) {
                _ = try await journal.append([draft(0)])
            }
            var acknowledged: [Int64: EntryKey] = [1: draft(0).key]
            for position in positions {
                let drafts = [draft(2 * position + 1), draft(2 * position + 2)]
                let numbers = try await cluster.cut(after: position) {
                    try await journal.appendAll(drafts)
                }
                for (number, draft) in zip(numbers ?? [], drafts) {
                    acknowledged[number] = draft.key
                }
            }
            #expect(try await journal.append([draft(9_999)]).count == 1)
            let stored = try await entries(of: journal)
            #expect(stored.map(\.number) == Array(1...Int64(stored.count)))
            let kept = Dictionary(
                uniqueKeysWithValues: stored.dropLast().map { ($0.number, $0.draft.key) })
            #expect(kept == acknowledged)
        }
    }

    @Test("payloads whose connection is cut, and posted again, are appended once")
    func payloads() async throws {
        try await withCluster { cluster in
            let journal = try await cluster.node.journal()
            let positions = try await positions(in: cluster, seed: 5) {
                _ = try await journal.append([payload(0)])
            }
            for position in positions {
                let drafts = [payload(2 * position + 1), payload(2 * position + 2)]
                _ = try await cluster.cut(after: position) { try await journal.append(drafts) }
                // A transaction of a connection that was cut may end later.
                let isAppended = await eventually {
                    (try? await journal.append(drafts).count) == drafts.count
                }
                #expect(isAppended)
            }
            let keys = try await entries(of: journal).map(\.draft.key)
            #expect(keys.count == Set(keys).count)
            #expect(keys.count == 2 * positions.count + 1)
        }
    }

    @Test("a dead letter whose connection is cut, and that is stored again, is stored once")
    func deadLetters() async throws {
        try await withCluster { cluster in
            let journal = try await cluster.node.journal()
            func letter(_ number: Int) -> DeadLetter {
                DeadLetter(
                    exporter: "file", signal: .logs, refusal: .at(Int64(number)), reason: "400",
                    recordCount: 1, body: [1])
            }
            let positions = try await positions(in: cluster, seed: 6) {
                try await journal.deadLetter(letter(0), advancingTo: 0)
            }
            for position in positions {
                let letter = letter(position + 1)
                _ = try await cluster.cut(after: position) {
                    try await journal.deadLetter(letter, advancingTo: 0)
                }
                try await journal.deadLetter(letter, advancingTo: 0)
            }
            #expect(
                try await cluster.number("SELECT count(*) FROM dead_letter")
                    == Int64(positions.count) + 1)
        }
    }

    @Test("the commit of a run whose connection is cut, and its repetition, count once")
    func commit() async throws {
        try await withCluster { cluster in
            let journal = try await cluster.node.journal()
            var count: Int64 = 0
            func run() async throws -> WorkerCommit {
                let numbers = try await journal.appendAll([
                    draft(Int(count)), draft(Int(count) + 1),
                ])
                count += 2
                return WorkerCommit(
                    lastNumber: numbers.last ?? 0,
                    diagnostics: numbers.map { diagnostic($0, wanting: [wanted(1)], at: 5) },
                    payloads: [ProcessedPayload(key: draft(Int(count)).key)])
            }
            let first = try await run()
            let positions = try await positions(in: cluster, seed: 2) {
                try await journal.commit(first)
            }
            for position in positions {
                let commit = try await run()
                let isDone: Void? = try await cluster.cut(after: position) {
                    try await journal.commit(commit)
                }
                if isDone == nil { try await journal.commit(commit) }
                #expect(
                    try await journal.cursor(of: JournalReaders.worker) == commit.lastNumber)
            }
            for counted in [
                "SELECT count(*) FROM diagnostic",
                "SELECT sum(diagnostics)::int8 FROM group_tally",
                "SELECT sum(diagnostics)::int8 FROM hour_tally",
                "SELECT sum(waiting)::int8 FROM missing_tally",
                "SELECT 2 * count(*) FROM seen_payload",
            ] {
                #expect(try await cluster.number(counted) == count, "\(counted)")
            }
        }
    }

    @Test("diagnostics that are taken up over a connection that is cut are taken up once")
    func takeUp() async throws {
        try await withCluster { cluster in
            let journal = try await cluster.node.journal()
            let numbers = try await journal.appendAll((0..<400).map { draft($0) })
            let last = numbers.last ?? 0
            try await journal.commit(
                WorkerCommit(
                    lastNumber: last,
                    diagnostics: numbers.map { diagnostic($0, wanting: [wanted(1)], at: 5) }))
            _ = try await cluster.node.database.add(debugFile(of: image(1)))
            let terms = ResendTerms(oldest: .at(0), due: .at(6))
            while try await !journal.stepAwakening(of: image(1), terms).isLast {}
            func takeUp(_ count: Int = 2) async throws -> Int {
                try await journal.enqueueDue(count: count, now: .at(9)).count
            }
            let positions = try await positions(in: cluster, seed: 3) {
                _ = try await takeUp()
            }
            for position in positions {
                _ = try await cluster.cut(after: position) { try await takeUp() }
            }
            // A transaction of a connection that was cut keeps its locks until the server notices.
            let isDone = try await eventually {
                _ = try await takeUp(400)
                return try await cluster.number("SELECT count(*) FROM resend WHERE taken IS NULL")
                    == 0
            }
            #expect(isDone)
            let revisions = try await journal.entries(after: last, count: 9_999, bytes: .max)
            #expect(revisions.map(\.number) == Array(last + 1...last + 400))
            #expect(Set(revisions.map(\.draft.body)).count == 400)
        }
    }

    @Test("a debug file whose connection is cut awakens those who wait, once it is stored")
    func upload() async throws {
        try await withCluster { cluster in
            let journal = try await cluster.node.journal()
            let numbers = try await journal.appendAll((0..<250).map { draft($0) })
            try await journal.commit(
                WorkerCommit(
                    lastNumber: numbers.last ?? 0,
                    diagnostics: numbers.map {
                        diagnostic($0, wanting: [wanted(UInt8($0))], at: 5)
                    }))
            let positions = try await positions(in: cluster, seed: 4) {
                _ = try await cluster.node.database.add(debugFile(of: image(250), blob: "250"))
            }
            for position in positions {
                let number = UInt8(position + 1)
                let file = debugFile(of: image(number), blob: "\(number)")
                let added = try await cluster.cut(after: position) {
                    try await cluster.node.database.add(file)
                }
                // The client uploads it again.
                if added == nil { _ = try await cluster.node.database.add(file) }
            }
            let stored = positions.count + 1
            #expect(try await journal.awakenedImages().count == stored)
            let terms = ResendTerms(oldest: .at(0), due: .at(6))
            for image in try await journal.awakenedImages() {
                #expect(try await journal.stepAwakening(of: image, terms).markedCount == 1)
            }
            #expect(try await cluster.number("SELECT count(*) FROM resend") == Int64(stored))
        }
    }
}
