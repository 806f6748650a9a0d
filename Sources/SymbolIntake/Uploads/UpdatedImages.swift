import CallStacks
import Synchronization

/// Collects the images whose debug files one upload added or replaced.
final class UpdatedImages: Sendable {
    private struct State {
        var arrived: [ImageID] = []
        /// Images whose stored file is now one of this upload's, whether it is new or was already
        /// stored.
        var settled: Set<ImageID> = []
    }

    private let state = Mutex(State())

    var all: [ImageID] { state.withLock(\.arrived) }

    func add(_ image: ImageID) { state.withLock { $0.arrived.append(image) } }

    func settle(_ image: ImageID) { state.withLock { _ = $0.settled.insert(image) } }

    func isSettled(_ image: ImageID) -> Bool { state.withLock { $0.settled.contains(image) } }
}
