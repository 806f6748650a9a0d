import Ingest
import Logging
import Problems
import SymbolIntake
import Synchronization
import Testing

@testable import symbolist

@Suite("Serving with one lane after another")
struct LaneSuccessionTests {
    private struct Ended: Error {}

    /// What claims and lanes result in, in order.
    private final class Script: Sendable {
        private let steps: Mutex<[(any Error)?]>

        init(_ steps: [(any Error)?]) { self.steps = Mutex(steps.reversed()) }

        var isFinished: Bool { steps.withLock(\.isEmpty) }

        func takeStep() throws {
            if let error = steps.withLock({ $0.popLast() ?? Ended() }) { throw error }
        }
    }

    private static func error(_ reason: JournalError.Reason) -> JournalError {
        JournalError(reason, Problem("database", detail: "failed"))
    }

    private func run(_ claims: Script, _ lanes: Script) async throws {
        try await LaneSuccession(
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, pause: .zero
        ) {
            try claims.takeStep()
        } serve: {
            try lanes.takeStep()
        }.run()
    }

    @Test("after the loss of a lane, the next one is claimed as soon as the database permits")
    func retried() async throws {
        let claims = Script([nil, Self.error(.other), Self.error(.closed), nil, nil])
        let lanes = Script([nil, Self.error(.other)])
        await #expect(throws: Ended.self) { try await run(claims, lanes) }
        #expect(claims.isFinished)
        #expect(lanes.isFinished)
    }

    @Test("a catalogue that cannot be read after a lane was claimed is waited for")
    func catalogue() async throws {
        let error = StorageError(Problem("catalogue", detail: "failed"))
        let claims = Script([nil, nil])
        let lanes = Script([error, nil])
        await #expect(throws: Ended.self) { try await run(claims, lanes) }
        #expect(lanes.isFinished)
    }

    @Test("a node whose first claim fails ends")
    func firstClaim() async throws {
        let claims = Script([Self.error(.other), nil])
        await #expect(throws: JournalError.self) { try await run(claims, Script([])) }
        #expect(!claims.isFinished)
    }

    @Test(
        "a node that another version is needed for, or whose database is damaged, ends",
        arguments: [JournalError.Reason.unreadable, .damaged])
    func lasting(_ reason: JournalError.Reason) async throws {
        let lanes = Script([Self.error(reason), nil])
        await #expect(throws: JournalError.self) { try await run(Script([nil, nil]), lanes) }
        #expect(!lanes.isFinished)
    }
}
