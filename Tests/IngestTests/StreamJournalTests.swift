import CallStacks
import Problems
import Synchronization
import Testing

@testable import Ingest

@Suite("The journal of a stream")
struct StreamJournalTests {
    /// Records which messages are finished, and which requests are stored.
    private final class Stream: Sendable {
        private struct State {
            var finished: [Int] = []
            var stored: [[UInt8]] = []
            var known: Set<EntryKey> = []
            var revoked: Set<Int> = []
            var refuses = false
        }

        private let state = Mutex(State())

        /// The requests that were stored when they were delivered before.
        var known: Set<EntryKey> { state.withLock(\.known) }

        var finished: [Int] { state.withLock { $0.finished } }
        var stored: [[UInt8]] { state.withLock { $0.stored } }

        func know(_ key: EntryKey) { state.withLock { _ = $0.known.insert(key) } }
        func revoke(_ number: Int) { state.withLock { _ = $0.revoked.insert(number) } }
        func refuse(_ refuses: Bool) { state.withLock { $0.refuses = refuses } }
        func isRevoked(_ number: Int) -> Bool { state.withLock { $0.revoked.contains(number) } }
        func finish(_ number: Int) { state.withLock { $0.finished.append(number) } }

        func store(_ drafts: [JournalDraft]) throws(JournalError) {
            let isStored = state.withLock { state in
                if !state.refuses { state.stored += drafts.map(\.body) }
                return !state.refuses
            }
            if !isStored { throw JournalError(.full, Problem("queue", detail: "is full")) }
        }
    }

    private struct Message: StreamedRequest {
        let number: Int
        let stream: Stream

        var isCurrent: Bool { !stream.isRevoked(number) }
        func finish() { stream.finish(number) }
    }

    private let stream = Stream()

    private func journal(
        _ count: Int, exporters: [String] = ["a", "b"], bytesLimit: Int64 = 1_000
    ) -> StreamJournal {
        let stream = stream
        let journal = StreamJournal(exporters: exporters, bytesLimit: bytesLimit) {
            drafts throws(JournalError) in
            try stream.store(drafts)
        } stored: { keys in
            stream.known.intersection(keys)
        }
        for number in 1...count { add(number, to: journal) }
        return journal
    }

    private func add(_ number: Int, to journal: StreamJournal, byteCount: Int = 10) {
        var generator = SystemRandomNumberGenerator()
        journal.add(
            JournalDraft(
                key: .random(using: &generator), arrival: UnixTime(rawValue: 1), kind: .logs,
                body: [UInt8](repeating: UInt8(number), count: byteCount)),
            from: Message(number: number, stream: stream))
    }

    private func diagnostic(entry: Int64, isInApp: Bool) -> DiagnosticRecord {
        var diagnostic = DiagnosticRecord(
            uid: "uid", address: RecordAddress(entry: entry, position: 0),
            arrival: UnixTime(rawValue: 1), kind: .crash, status: .partial, fingerprint: "1:0")
        guard let image = ImageID(bytes: [UInt8](repeating: 7, count: 16)) else {
            return diagnostic
        }
        diagnostic.wanted = [
            WantedImage(
                image: image, name: "Fig", architecture: nil, isInApp: isInApp, frameCount: 1)
        ]
        return diagnostic
    }

    @Test("a message is finished once the worker and all exporters have passed it")
    func finished() async throws {
        let journal = journal(3)
        try await journal.advance("a", to: 3)
        try await journal.advance("b", to: 2)
        #expect(stream.finished.isEmpty)
        try await journal.commit(WorkerCommit(lastNumber: 3))
        #expect(stream.finished == [1, 2])
        try await journal.advance("b", to: 3)
        #expect(stream.finished == [1, 2, 3])
        #expect(try await journal.backlog() == Backlog())
        #expect(try await journal.workerBacklog() == WorkerBacklog(processedBytes: 30))
    }

    @Test("entries are read in order, within limits, and gone when finished")
    func reading() async throws {
        let journal = journal(5)
        let first = try await journal.entries(after: 0, count: 2, bytes: 1_000)
        #expect(first.map(\.number) == [1, 2])
        let second = try await journal.entries(after: 2, count: 9, bytes: 25)
        #expect(second.map(\.number) == [3, 4])
        #expect(try await journal.entries(after: 4, count: 9, bytes: 1).map(\.number) == [5])
        for reader in [JournalReaders.worker, "a", "b"] {
            try await journal.advance(reader, to: 2)
        }
        #expect(try await journal.entry(2) == nil)
        #expect(try await journal.entries([2, 3, 5], bytes: 100).map(\.number) == [3, 5])
    }

    @Test("a request that waits for symbols of the app is stored, and not exported from here")
    func stored() async throws {
        let journal = journal(3)
        let commit = WorkerCommit(
            lastNumber: 3,
            diagnostics: [
                diagnostic(entry: 1, isInApp: false), diagnostic(entry: 2, isInApp: true),
            ])
        try await journal.commit(commit)
        #expect(stream.stored == [[UInt8](repeating: 2, count: 10)])
        #expect((1...3).map { journal.isExported($0) } == [true, false, true])
    }

    @Test("a request that was stored when it was delivered before is not exported from here")
    func deliveredAgain() async throws {
        let journal = journal(2)
        stream.know(try #require(try await journal.entry(2)).draft.key)
        let diagnostics = (1...2).map { diagnostic(entry: $0, isInApp: false) }
        try await journal.commit(WorkerCommit(lastNumber: 2, diagnostics: diagnostics))
        #expect(stream.stored.isEmpty)
        #expect((1...2).map { journal.isExported($0) } == [true, false])
    }

    @Test("while the journal of the node is full, the worker does not move on")
    func full() async throws {
        let journal = journal(1)
        let commit = WorkerCommit(
            lastNumber: 1, diagnostics: [diagnostic(entry: 1, isInApp: true)])
        stream.refuse(true)
        await #expect(throws: JournalError.self) { try await journal.commit(commit) }
        #expect(try await journal.cursor(of: JournalReaders.worker) == 0)
        stream.refuse(false)
        try await journal.commit(commit)
        #expect(try await journal.cursor(of: JournalReaders.worker) == 1)
        #expect(stream.stored.count == 1)
    }

    @Test("a message of a revoked partition is neither stored nor exported")
    func revoked() async throws {
        let journal = journal(2)
        stream.revoke(1)
        try await journal.commit(
            WorkerCommit(lastNumber: 2, diagnostics: [diagnostic(entry: 1, isInApp: true)]))
        #expect(stream.stored.isEmpty)
        #expect(!journal.isExported(1))
        #expect(journal.isExported(2))
    }

    @Test("there is room again once half of the bytes are finished")
    func room() async throws {
        let journal = journal(9, exporters: ["a"], bytesLimit: 100)
        #expect(journal.hasCapacity)
        add(10, to: journal)
        #expect(!journal.hasCapacity)
        for reader in [JournalReaders.worker, "a"] { try await journal.advance(reader, to: 5) }
        #expect(!journal.hasCapacity)
        for reader in [JournalReaders.worker, "a"] { try await journal.advance(reader, to: 6) }
        #expect(journal.hasCapacity)
    }

    @Test("the key of a message depends on its place and time alone")
    func key() throws {
        func key(_ place: String, _ time: Int64?, _ body: [UInt8] = []) throws -> EntryKey {
            try StreamMessage.draft(
                of: .logs, body, at: place, time: time.map(UnixTime.init(rawValue:)), from: nil,
                now: UnixTime(rawValue: 99)
            ).key
        }
        #expect(try key("t[0]@7", 5) == key("t[0]@7", 5))
        #expect(try key("t[0]@7", 5) != key("t[0]@8", 5))
        #expect(try key("t[0]@7", 5) != key("t[0]@7", 6))
        #expect(try key("t[0]@7", nil) == key("t[0]@7", nil))
    }

    @Test(
        "a message arrives at the time of the cluster, whatever its own time",
        arguments: [0, 1 << 60])
    func arrival(time: Int64) throws {
        let draft = try StreamMessage.draft(
            of: .logs, [], at: "t[0]@7", time: UnixTime(rawValue: time), from: nil,
            now: UnixTime(rawValue: 99))
        #expect(draft.arrival == UnixTime(rawValue: 99))
    }

    @Test("a message that is not a request is refused")
    func malformed() {
        #expect(throws: Problem.self) {
            try StreamMessage.draft(
                of: .logs, Array("{}".utf8), at: "t[0]@7", time: nil, from: nil,
                now: UnixTime(rawValue: 99))
        }
    }
}
