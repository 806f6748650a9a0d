import CallStacks
import Synchronization

/// Everything that a service acknowledged, in all its runs.
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

    /// The records, spans and metrics that were sent with an identifier of the test.
    var ids: Set<String> { state.withLock(\.ids) }

    /// The records with such an identifier that are diagnostics, to which the service assigns
    /// identifiers.
    var diagnosticIDs: Set<String> { state.withLock(\.diagnosticIDs) }

    /// The identifiers that the service assigned to MetricKit payloads.
    var uids: Set<String> { state.withLock(\.uids) }

    /// The numbers of the libraries that were uploaded.
    var images: [UInt64] { state.withLock(\.images) }

    /// All acknowledged crashes, by the numbers of the libraries that they are in.
    var crashes: [UInt64: [String]] { state.withLock(\.crashes) }

    var requestCount: Int { state.withLock(\.requestCount) }

    /// The number of acknowledged records and payloads, including settled ones.
    var count: Int {
        state.withLock { $0.settledCount + $0.ids.count + $0.uids.count }
    }

    /// Removes everything that was acknowledged and received so far, so that a long test need not
    /// check it again.
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
