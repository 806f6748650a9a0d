import CallStacks
import EmbeddedDatabase
import Foundation
import Ingest
import JournalSupport
import SharedDatabase

/// What both databases promise of a journal, its readers and dead letters.
protocol PortJournal: Sendable {
    func append(_ drafts: [JournalDraft]) async throws(JournalError) -> [Int64]
    func entries(
        after number: Int64, count: Int, bytes: Int
    ) async throws(JournalError) -> [JournalEntry]
    func entry(_ number: Int64) async throws(JournalError) -> JournalEntry?
    func entries(_ numbers: [Int64], bytes: Int) async throws(JournalError) -> [JournalEntry]
    func cursor(of reader: String) async throws(JournalError) -> Int64
    func readers() async throws(JournalError) -> [ReaderStatus]
    func reconcile(_ reconciliation: ReaderReconciliation) async throws(JournalError)
    func backlog(of reader: String) async throws(JournalError) -> Backlog
    func trimUnsent(keeping bytes: Int64) async throws(JournalError) -> Backlog
    func advance(_ reader: String, to number: Int64) async throws(JournalError)
    func backlog() async throws(JournalError) -> Backlog
    func workerBacklog() async throws(JournalError) -> WorkerBacklog
    func dropReader(_ name: String) async throws(JournalError)

    func deadLetter(_ letter: DeadLetter, advancingTo number: Int64) async throws(JournalError)
    func deadLetters(after id: Int64, count: Int) async throws(JournalError) -> [DeadLetter]
    func deadLetterSummaries(
        after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetterSummary]
    func resendableDeadLetters(
        of exporter: String, settingsFingerprint: String, after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetter]
    func recordRefusal(of ids: [Int64], settingsFingerprint: String) async throws(JournalError)
    func deadLetterCounts() async throws(JournalError) -> [DeadLetterCount]
    func removeDeadLetters(_ ids: [Int64]) async throws(JournalError)
    func removeDeadLetters(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int
}

extension EmbeddedDatabase: PortJournal {}

/// A node's lane, with the dead letters of all lanes.
struct SharedJournal: PortJournal {
    let node: TestNode
    let journal: LaneJournal

    func append(_ drafts: [JournalDraft]) async throws(JournalError) -> [Int64] {
        try await journal.append(drafts)
    }

    func entries(
        after number: Int64, count: Int, bytes: Int
    ) async throws(JournalError) -> [JournalEntry] {
        try await journal.entries(after: number, count: count, bytes: bytes)
    }

    func entry(_ number: Int64) async throws(JournalError) -> JournalEntry? {
        try await journal.entry(number)
    }

    func entries(_ numbers: [Int64], bytes: Int) async throws(JournalError) -> [JournalEntry] {
        try await journal.entries(numbers, bytes: bytes)
    }

    func cursor(of reader: String) async throws(JournalError) -> Int64 {
        try await journal.cursor(of: reader)
    }

    func readers() async throws(JournalError) -> [ReaderStatus] { try await journal.readers() }

    func reconcile(_ reconciliation: ReaderReconciliation) async throws(JournalError) {
        try await journal.reconcile(reconciliation)
    }

    func backlog(of reader: String) async throws(JournalError) -> Backlog {
        try await journal.backlog(of: reader)
    }

    func trimUnsent(keeping bytes: Int64) async throws(JournalError) -> Backlog {
        try await journal.trimUnsent(keeping: bytes)
    }

    func advance(_ reader: String, to number: Int64) async throws(JournalError) {
        try await journal.advance(reader, to: number)
    }

    func backlog() async throws(JournalError) -> Backlog { try await journal.backlog() }

    func workerBacklog() async throws(JournalError) -> WorkerBacklog {
        try await journal.workerBacklog()
    }

    func dropReader(_ name: String) async throws(JournalError) {
        try await node.database.dropReader(name)
    }

    func deadLetter(_ letter: DeadLetter, advancingTo number: Int64) async throws(JournalError) {
        try await journal.deadLetter(letter, advancingTo: number)
    }

    func deadLetters(after id: Int64, count: Int) async throws(JournalError) -> [DeadLetter] {
        try await node.database.deadLetters(after: id, count: count)
    }

    func deadLetterSummaries(
        after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetterSummary] {
        try await node.database.deadLetterSummaries(after: id, count: count)
    }

    func resendableDeadLetters(
        of exporter: String, settingsFingerprint: String, after id: Int64, count: Int
    ) async throws(JournalError) -> [DeadLetter] {
        try await node.database.claimResendableDeadLetters(
            of: exporter, settingsFingerprint: settingsFingerprint, after: id, count: count,
            by: node.node)
    }

    func recordRefusal(of ids: [Int64], settingsFingerprint: String) async throws(JournalError) {
        try await node.database.recordRefusal(of: ids, settingsFingerprint: settingsFingerprint)
    }

    func deadLetterCounts() async throws(JournalError) -> [DeadLetterCount] {
        try await node.database.deadLetterCounts()
    }

    func removeDeadLetters(_ ids: [Int64]) async throws(JournalError) {
        try await node.database.removeDeadLetters(ids)
    }

    func removeDeadLetters(
        before oldest: UnixTime, keeping bytes: Int64, count: Int
    ) async throws(JournalError) -> Int {
        try await node.database.removeDeadLetters(before: oldest, keeping: bytes, count: count)
    }
}
