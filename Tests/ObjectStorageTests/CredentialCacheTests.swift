import Foundation
import Problems
import Synchronization
import Testing

@testable import ObjectStorage

@Suite("Credential refresh", .timeLimit(.minutes(10)))
struct CredentialCacheTests {
    private static let start = Date(timeIntervalSince1970: 1_900_000_000)

    /// A place whose credentials are valid for an hour, at a time that the test sets.
    private final class Place: CredentialSource {
        struct State {
            var now = CredentialCacheTests.start
            var loads = 0
            var isFailing = false
        }

        let state = Mutex(State())

        var loads: Int { state.withLock(\.loads) }

        func credentials() async throws -> Credentials? {
            // Others arrive in the meantime.
            for _ in 0..<100 { await Task.yield() }
            return try state.withLock { state in
                state.loads += 1
                if state.isFailing {
                    throw ObjectStorageError.invalid("place", detail: "fails", suggestion: "wait")
                }
                return Credentials(
                    accessKeyID: "key \(state.loads)", secretAccessKey: "",
                    expiration: state.now.addingTimeInterval(3_600))
            }
        }

        func pass(_ seconds: TimeInterval, isFailing: Bool = false) {
            state.withLock { state in
                state.now += seconds
                state.isFailing = isFailing
            }
        }
    }

    private func cache(_ place: Place) -> CredentialCache {
        CredentialCache(place, now: { place.state.withLock(\.now) })
    }

    @Test("credentials are loaded once for all who ask at once")
    func once() async throws {
        let place = Place()
        let cache = cache(place)
        let keys = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await cache.credentials().accessKeyID } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(keys == ["key 1"])
        #expect(place.loads == 1)
    }

    @Test("credentials are refreshed some minutes before they expire")
    func early() async throws {
        let place = Place()
        let cache = cache(place)
        _ = try await cache.credentials()
        place.pass(3_600 - CredentialCache.margin - 1)
        #expect(try await cache.credentials().accessKeyID == "key 1")
        place.pass(1)
        #expect(try await cache.credentials().accessKeyID == "key 2")
    }

    @Test("credentials are used until they expire if no newer ones can be loaded")
    func failing() async throws {
        let place = Place()
        let cache = cache(place)
        _ = try await cache.credentials()
        place.pass(3_600 - 60, isFailing: true)
        for _ in 0..<10 { #expect(try await cache.credentials().accessKeyID == "key 1") }
        #expect(place.loads == 2)
        place.pass(60, isFailing: true)
        await #expect(throws: ObjectStorageError.self) { try await cache.credentials() }
        place.pass(1)
        #expect(try await cache.credentials().accessKeyID == "key 4")
    }

    @Test("refused credentials are loaded again, others are kept")
    func discarded() async throws {
        let place = Place()
        let cache = cache(place)
        let first = try await cache.credentials()
        await cache.discard(first)
        #expect(try await cache.credentials().accessKeyID == "key 2")
        await cache.discard(first)
        #expect(try await cache.credentials().accessKeyID == "key 2")
    }

    @Test("no credentials anywhere is an error that says what to set")
    func none() async throws {
        struct Nowhere: CredentialSource { func credentials() -> Credentials? { nil } }
        let cache = CredentialCache(Nowhere(), now: { Self.start })
        let error = await failure { try await cache.credentials() }
        #expect(error?.reason == .accessDenied)
        #expect(error?.description.contains("blobs.access_key_id") == true)
    }
}
