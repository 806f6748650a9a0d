import Foundation
import TestSupport
import Testing

@Suite("Fixtures of shared caches")
struct CacheFixtureTests {
    /// The caches in `Fixtures/Caches` are the seeds of the fuzzer. `UPDATE_GOLDENS=1` rewrites
    /// them.
    @Test(
        "the fixtures are what the builder makes", arguments: SharedCacheBuilder.Layout.allCases)
    func fixtures(layout: SharedCacheBuilder.Layout) throws {
        let url = projectFolder.appendingPathComponent("Fixtures/Caches/\(layout.rawValue).caches")
        let packed = Data(SharedCacheBuilder(layout).packed())
        if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] != nil {
            try packed.write(to: url)
        }
        #expect(try Data(contentsOf: url) == packed)
    }
}
