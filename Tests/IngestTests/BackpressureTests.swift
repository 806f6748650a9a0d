import EmbeddedDatabase
import Foundation
import Problems
import Synchronization
import TestSupport
import Testing

@testable import Ingest

@Suite("Backpressure")
struct BackpressureTests {
    private static let limit: Int64 = 20_000

    private func rig(wait: Duration) async throws -> IngestRig {
        var settings = IngestFlow.Settings()
        settings.unprocessedBytesMinimum = Self.limit
        settings.longestRequestWait = wait
        return try await IngestRig(settings: settings)
    }

    /// A request that compression does not make smaller.
    private func body(_ seed: UInt64) -> [UInt8] {
        var numbers = SplitMix64(seed: seed)
        return (0..<1_000).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }
    }

    /// A number that tasks change.
    private final class Count: Sendable {
        private let number: Mutex<Int>

        init(_ number: Int) { self.number = Mutex(number) }

        var value: Int { number.withLock(\.self) }

        func add(_ more: Int) { number.withLock { $0 += more } }
    }

    @Test("a stalled worker limits what is acknowledged")
    func standingStill() async throws {
        let rig = try await rig(wait: .milliseconds(1))
        let gateway = rig.service.gateway
        let (kept, refused) = (Count(0), Count(0))
        await withTaskGroup(of: Void.self) { group in
            for number in UInt64(0)..<200 {
                group.addTask {
                    do throws(IngestGatewayError) {
                        try await gateway.accept(.traces, body(number))
                        kept.add(1)
                    } catch {
                        #expect(error.description.contains("send it again later"))
                        refused.add(1)
                    }
                }
            }
        }
        #expect(kept.value == 20)
        #expect(refused.value == 180)
        #expect(try await rig.database.workerBacklog().bytes == Self.limit)
        try await rig.drain()
        try await gateway.accept(.traces, body(0))
    }

    @Test("requests wait for a slow worker, and none is lost or refused")
    func waiting() async throws {
        let rig = try await rig(wait: .seconds(600))
        let gateway = rig.service.gateway
        let left = Count(8)
        await withTaskGroup(of: Void.self) { group in
            // No more wait at one time than may.
            for sender in UInt64(0)..<8 {
                group.addTask {
                    for number in UInt64(0)..<50 {
                        do { try await gateway.accept(.traces, body(sender << 8 | number)) } catch {
                            Issue.record(error)
                        }
                    }
                    left.add(-1)
                }
            }
            group.addTask {
                do {
                    while left.value > 0 { try await rig.service.worker.drain() }
                    try await rig.drain()
                } catch { Issue.record(error) }
            }
        }
        #expect(try await rig.database.workerBacklog().bytes == 0)
        #expect(try await rig.database.workerBacklog().processedBytes == 400_000)
    }

    @Test("the backlog from before a kill counts too")
    func restarted() async throws {
        let rig = try await rig(wait: .milliseconds(1))
        for number in UInt64(0)..<20 {
            try await rig.service.gateway.accept(.traces, body(number))
        }
        let again = try await rig.restarted()
        await #expect(throws: IngestGatewayError.self) {
            try await again.gateway.accept(.traces, body(20))
        }
        try await again.worker.drain()
        try await again.gateway.accept(.traces, body(20))
    }
}
