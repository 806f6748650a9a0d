import Testing

@testable import Ingest

@Suite("Waits between attempts")
struct ExportBackoffTests {
    private static var settings: RetrySettings {
        var settings = RetrySettings()
        settings.initialWait = .milliseconds(500)
        settings.longestWait = .seconds(30)
        settings.longestRequestedWait = .seconds(300)
        return settings
    }

    @Test("the longest possible wait doubles until it reaches the limit")
    func doubling() {
        var backOff = ExportBackoff(Self.settings)
        let waits = (0..<9).map { _ in backOff.nextWait(random: 1) }
        #expect(waits == [0.5, 1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
    }

    @Test("a wait is any part of the longest possible one")
    func jitter() {
        var backOff = ExportBackoff(Self.settings)
        #expect(backOff.nextWait(random: 0) == .zero)
        #expect(backOff.nextWait(random: 0.25) == .milliseconds(250))
    }

    @Test("no number of failures is too large")
    func manyFailures() {
        var backOff = ExportBackoff(Self.settings)
        for _ in 0..<10_000 { _ = backOff.nextWait(random: 1) }
        #expect(backOff.nextWait(random: 1) == .seconds(30))
    }

    @Test("a success resets the wait")
    func reset() {
        var backOff = ExportBackoff(Self.settings)
        for _ in 0..<5 { _ = backOff.nextWait(random: 1) }
        backOff.reset()
        #expect(backOff.nextWait(random: 1) == .milliseconds(500))
    }

    @Test("the wait that the receiver requests is honoured, up to a limit")
    func requestedWait() {
        var backOff = ExportBackoff(Self.settings)
        #expect(backOff.nextWait(requested: .seconds(7), random: 1) == .seconds(7))
        #expect(backOff.nextWait(requested: .seconds(86_400), random: 1) == .seconds(300))
        #expect(backOff.nextWait(requested: .zero, random: 1) == .seconds(2))
    }
}
