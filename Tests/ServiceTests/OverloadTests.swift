import Foundation
import Synchronization
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("More requests than can be symbolicated", .ownThreads)
    struct OverloadTests {
        /// The time for which requests are sent; if it is not set, `requestCount` requests are
        /// sent.
        private static let seconds = ProcessInfo.processInfo.environment["SYMBOLIST_LOAD_SECONDS"]
            .flatMap { Int($0) }
        private static let requestCount = 3_000
        private static let senderCount = 128

        @Test("are slowed down, so that acknowledged ones are processed and exported soon")
        func keepsUp() async throws {
            let backend = try Backend()
            try await backend.start()
            let site = try Site(exports: [backend.url])
            let served = try await site.start()
            let (ids, end) = (
                Acknowledged(), Self.seconds.map { ContinuousClock.now + .seconds($0) }
            )
            let worked = try await withThrowingTaskGroup(of: Void.self) { group in
                for sender in 0..<Self.senderCount {
                    group.addTask { await Self.send(sender, site.client, ids, until: end) }
                }
                if Self.seconds != nil {
                    group.addTask { try await Self.report(site.client, ids, backend, until: end) }
                }
                try await group.waitForAll()
                return try await Self.workedCount(site.client)
            }
            let count = ids.all.count
            #expect(worked >= count / 2, "\(worked) of \(count) are worked on")
            #expect(await eventually { backend.missing(of: ids.all).isEmpty })
            print("load: \(count) acknowledged, \(worked) of them worked on at the end")
            #expect(await served.stop() == 0)
            await backend.stop()
        }

        /// The identifiers of acknowledged records.
        private final class Acknowledged: Sendable {
            private let state = Mutex<Set<String>>([])

            var all: Set<String> { state.withLock(\.self) }

            /// - Returns: The number of identifiers, including this one.
            func add(_ id: String) -> Int {
                state.withLock { ids in
                    ids.insert(id)
                    return ids.count
                }
            }
        }

        /// Sends one crash after another, and retries refused ones.
        private static func send(
            _ sender: Int, _ client: Client, _ ids: Acknowledged,
            until end: ContinuousClock.Instant?
        ) async {
            var number = 0
            var count = 0
            while end.map({ .now < $0 }) ?? (count < requestCount) {
                let id = "\(sender)-\(number)"
                let body = try? Requests.logs([Requests.crash(id, in: identity(1))])
                guard let body, let reply = try? await client.send(logs: body) else { return }
                #expect([200, 503].contains(reply.status))
                guard reply.status == 200 else { continue }
                number += 1
                count = ids.add(id)
            }
        }

        private static func workedCount(_ client: Client) async throws -> Int {
            let text = String(decoding: try await client.get("/metrics").body, as: UTF8.self)
            let value = text.firstMatch(of: /symbolist_worked_records_total (\d+)/)?.output.1
            return value.flatMap { Int($0) } ?? 0
        }

        private static func report(
            _ client: Client, _ ids: Acknowledged, _ backend: Backend,
            until end: ContinuousClock.Instant?
        ) async throws {
            let start = ContinuousClock.now
            while let end, .now < end {
                try await Task.sleep(for: min(.seconds(10), ContinuousClock.now.duration(to: end)))
                print(
                    """
                    load: after \(start.duration(to: .now)): \(ids.all.count) acknowledged, \
                    \(try await workedCount(client)) worked on, \(backend.count) received
                    """)
            }
        }
    }
}
