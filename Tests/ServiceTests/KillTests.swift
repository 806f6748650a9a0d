import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("Killed at random moments", .ownThreads)
    struct KillTests {
        /// The number of kills; `SYMBOLIST_KILL_ROUNDS` overrides it.
        private static let rounds = setting("SYMBOLIST_KILL_ROUNDS") ?? 40
        /// The seed for the moments; `SYMBOLIST_KILL_SEED` overrides it.
        private static let seed = UInt64(setting("SYMBOLIST_KILL_SEED") ?? 1)

        @Test("it loses nothing acknowledged, and serves nothing half-written")
        func losesNothing() async throws {
            let trial = try await KillTrial(seed: Self.seed)
            for round in 1...Self.rounds {
                try await trial.killOnce(round: UInt64(round))
                if round % 10 == 0 || round == Self.rounds { try await trial.expectEverything() }
            }
            try await trial.expectRevisions()
            try await trial.expectAnswersFromBlobs()
            await trial.end()
            #expect(Self.rounds < 40 || trial.revisedCount > 0)
            print("kills: seed \(Self.seed), \(Self.rounds) rounds: \(trial.summary)")
        }
    }
}
