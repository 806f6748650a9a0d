import CallStacks
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// A service that is started and killed repeatedly, under changing configurations, with two
/// receivers that record all requests.
final class KillTrial {
    /// The activity of the service when it is killed.
    private enum Occasion: String, CaseIterable {
        case start = "starts"
        case configurationChange = "changes of the configuration"
        case upload = "uploads"
        case revision = "revisions"
    }

    private let first: Backend
    private let second: Backend
    private let site: Site
    private let wrongPort: Int
    private let firstLedger = Ledger()
    private let secondLedger = Ledger()
    private var numbers: SplitMix64
    /// The setup of the last run that was ready. The next run differs in at most one setting.
    private var setup = Setup()
    /// A setup that a run was started with but that may not have taken effect.
    private var pending: Setup?
    private var checkedImages = 0
    private var killCounts: [String: Int] = [:]

    init(seed: UInt64) async throws {
        // Some responses are errors, so that batches are sent again.
        first = try Backend { .random(in: 0..<8) == 0 ? .serviceUnavailable : .ok }
        second = try Backend()
        site = try Site(exports: [])
        wrongPort = try freePort()
        numbers = SplitMix64(seed: seed)
        try await first.start()
        try await second.start()
    }

    func end() async {
        await first.stop()
        await second.stop()
    }

    /// The number of revisions after the first that the receivers got, including copies.
    var revisedCount: Int { first.revisedCount + second.revisedCount }

    var summary: String {
        let kills = killCounts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return """
            \(kills.joined(separator: ", ")); \(firstLedger.requestCount) requests acknowledged; \
            \(firstLedger.count) and \(secondLedger.count) records and payloads for two receivers, \
            \(first.count) and \(second.count) copies received, \(revisedCount) of revisions, \
            \(firstLedger.images.count) uploads
            """
    }

    /// Starts the service, sends to it, and kills it: half of the times at any moment, otherwise
    /// during a rare activity.
    func killOnce(round: UInt64) async throws {
        let occasion =
            numbers.next() % 2 == 0 ? nil : Occasion.allCases.randomElement(using: &numbers)
        killCounts[occasion.map { "during \($0.rawValue)" } ?? "at any moment", default: 0] += 1
        switch occasion {
        case .start: try await killStart(pending ?? setup)
        case .configurationChange:
            let next = pending ?? setup.changed(using: &numbers)
            if numbers.next() % 2 == 0 { try await killStart(next) }
            try await killLoaded(next, round, after: random(0...300))
        case .upload:
            try await killLoaded(pending ?? setup, round, after: random(0...60)) { [site] in
                !site.files(in: "incoming").isEmpty
            }
        case .revision:
            let count = first.revisedCount
            // Revisions are sent two seconds after the arrival of the symbols.
            try await killLoaded(
                pending ?? setup, round, after: random(0...30), within: .seconds(5)
            ) { [first] in first.revisedCount > count }
        case nil: try await killLoaded(pending ?? setup, round, after: random(5...600))
        }
    }

    private func random(_ milliseconds: ClosedRange<Int>) -> Duration {
        Duration.milliseconds(Int.random(in: milliseconds, using: &numbers))
    }

    private func killStart(_ next: Setup) async throws {
        pending = next
        let served = try site.launch(settings: settings(next))
        try await Task.sleep(for: random(0...250))
        await served.kill()
    }

    /// Kills a run under load some time after a condition becomes true, or after a time limit.
    private func killLoaded(
        _ next: Setup, _ round: UInt64, after pause: Duration,
        within limit: Duration = .milliseconds(800),
        when condition: @Sendable () -> Bool = { true }
    ) async throws {
        let served = try await site.start(settings: settings(next))
        (setup, pending) = (next, nil)
        #expect(site.files(in: "incoming").isEmpty)
        let ledgers = [firstLedger] + (next.hasSecond ? [secondLedger] : [])
        let load = Load(client: site.client, ledgers: ledgers, number: round)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await load.run() }
            _ = await eventually(within: limit, condition)
            try? await Task.sleep(for: pause)
            await served.kill()
            group.cancelAll()
        }
    }

    private func settings(_ setup: Setup) -> [String: String] {
        setup.settings(first, second, wrongPort: wrongPort)
    }

    /// Runs the service until everything is exported.
    func expectEverything() async throws {
        let steps = (pending ?? setup).steps
        // A run that was killed while it started may have taken the pending setup or not.
        for step in pending == nil ? steps.dropFirst() : steps[...] {
            await (try await site.start(settings: settings(step))).kill()
        }
        (setup, pending) = (steps.last ?? setup, nil)
        let served = try await site.start(settings: settings(setup))
        for (ledger, backend) in [(firstLedger, first), (secondLedger, second)] {
            _ = await eventually { backend.lacks(ledger).isEmpty }
            #expect(backend.lacks(ledger) == [])
            #expect(backend.ambiguous(of: ledger.diagnosticIDs) == [])
            #expect(backend.conflicts == [])
            #expect(backend.damagedCount == 0)
            ledger.settle()
        }
        for image in firstLedger.images[checkedImages...] {
            let reply = try await site.client.get("/v1/symbols/\(identity(image))")
            #expect(reply.status == 200, "library \(image) was uploaded")
        }
        checkedImages = firstLedger.images.count
        #expect(await served.stop() == 0)
    }

    /// Runs the service until everything is exported with the acknowledged symbols.
    func expectRevisions() async throws {
        let served = try await site.start(settings: settings(setup))
        for (ledger, backend) in [(firstLedger, first), (secondLedger, second)] {
            let known = Set(firstLedger.images)
            let crashes = ledger.crashes.filter { known.contains($0.key) }.flatMap(\.value)
            _ = await eventually { backend.rawOnes(of: crashes).isEmpty }
            #expect(backend.rawOnes(of: crashes) == [])
            #expect(backend.conflicts == [])
        }
        #expect(await served.stop() == 0)
    }

    /// Checks that indexes are rebuilt from the blobs, and can be used.
    func expectAnswersFromBlobs() async throws {
        try shell(
            """
            find blobs -name '*.zst' | while read -r file; do
                name=$(printf %s "${file#blobs/}" | tr -d / | cut -c 1-64)
                test "$(zstd -dcq "$file" | sha256sum | cut -c 1-64)" = "$name"
            done
            rm -rf indexes
            """, in: site.data)
        let served = try await site.start(settings: settings(setup))
        for image in firstLedger.images {
            let names = try await functions(at: identity(image))
            #expect(names == ["ripen"], "library \(image) answers")
        }
        #expect(await served.stop() == 0)
    }

    /// The names of the functions that a crash in an image is symbolicated to.
    private func functions(at image: ImageID) async throws -> Set<String> {
        let frame =
            #"{"binaryName":"Fig","binaryUUID":"\#(image)","offsetIntoBinaryTextSegment":\#(functionOffset),"address":4312150040}"#
        let payload =
            #"{"crashDiagnostics":[{"version":"1.0.0","callStackTree":{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":[\#(frame)]}]},"diagnosticMetaData":{"signal":11}}]}"#
        let reply = try await site.client.post(
            "/v1/symbolicate?format=json", Array(payload.utf8), type: "application/json")
        let text = reply.text
        return Set(text.matches(of: /"function": ?"([^"]*)"/).map { String($0.output.1) })
    }
}

extension Backend {
    /// Returns the records of a ledger that were not received.
    fileprivate func lacks(_ ledger: Ledger) -> Set<String> {
        missing(of: ledger.ids).union(ledger.uids.subtracting(uids))
    }
}
