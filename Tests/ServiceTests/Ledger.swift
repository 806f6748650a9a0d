import CallStacks
import Synchronization

/// What a service acknowledged, over all its runs.
final class Ledger: Sendable {
    private struct State {
        var ids: Set<String> = []
        var diagnosticIDs: Set<String> = []
        var uids: Set<String> = []
        var images: [UInt64] = []
        var crashes: [UInt64: [String]] = [:]
        var requestCount = 0
        var settledCount = 0
    }

    private let state = Mutex(State())

    /// Records that came with an identifier of ours.
    var ids: Set<String> { state.withLock(\.ids) }

    /// Those of them that are diagnostics, which the service gives identifiers.
    var diagnosticIDs: Set<String> { state.withLock(\.diagnosticIDs) }

    /// The identifiers that the service gave to MetricKit payloads.
    var uids: Set<String> { state.withLock(\.uids) }

    /// The numbers of the libraries that were uploaded.
    var images: [UInt64] { state.withLock(\.images) }

    /// All crashes that were acknowledged, by the numbers of the libraries that they are in.
    var crashes: [UInt64: [String]] { state.withLock(\.crashes) }

    var requestCount: Int { state.withLock(\.requestCount) }

    /// How many records and payloads were acknowledged, with those that are settled.
    var count: Int {
        state.withLock { $0.settledCount + $0.ids.count + $0.uids.count }
    }

    /// Forgets what has been acknowledged until now and was seen to arrive, so that a long test need
    /// not look for it again.
    func settle() {
        state.withLock { state in
            state.settledCount += state.ids.count + state.uids.count
            state.ids = []
            state.diagnosticIDs = []
            state.uids = []
        }
    }

    func acknowledge(ids: [String], diagnostics: [String]) {
        state.withLock { state in
            state.ids.formUnion(ids + diagnostics)
            state.diagnosticIDs.formUnion(diagnostics)
            state.requestCount += 1
        }
    }

    /// - Parameter image: The number of the library that all crashes are in.
    func acknowledge(ids: [String], crashes: [String], in image: UInt64) {
        acknowledge(ids: ids, diagnostics: crashes)
        state.withLock { $0.crashes[image, default: []] += crashes }
    }

    func acknowledge(uids: [String]) {
        state.withLock { state in
            state.uids.formUnion(uids)
            state.requestCount += 1
        }
    }

    func acknowledge(image: UInt64) { state.withLock { $0.images.append(image) } }
}
