import SymbolIntake
import Synchronization

/// The images whose debug files arrived last, numbered in their order.
///
/// The worker may find an image missing, its debug file arrives and wakes nobody, and only then the
/// wait is written down. So the worker remembers where the log ended before a run, and afterwards
/// asks which of the images that the run wants arrived since.
final class ArrivalLog: Sendable {
    private struct State {
        var images: [ArrivedImage] = []
        /// The number of the first of `images`.
        var first = 0
    }

    private let state = Mutex(State())
    private let limit: Int

    /// - Parameter limit: How many images it holds at least; of more the oldest go.
    init(limit: Int = 10_000) { self.limit = limit }

    /// Where it ends now.
    var end: Int { state.withLock { $0.first + $0.images.count } }

    func note(_ images: [ArrivedImage]) {
        state.withLock { state in
            state.images += images
            // Half at a time, so that not each arrival moves all others.
            guard state.images.count > 2 * limit else { return }
            let excess = state.images.count - limit
            state.images.removeFirst(excess)
            state.first += excess
        }
    }

    /// Those of `wanted` that arrived since the log ended at `end`, for any owner: all of them
    /// where it no longer goes back so far.
    func arrived(of wanted: [WantedImage], since end: Int) -> Set<ArrivedImage> {
        let images = Set(wanted.map(\.image))
        return state.withLock { state in
            guard end >= state.first else {
                return Set(images.map { ArrivedImage($0, of: .everyone) })
            }
            return Set(
                state.images.dropFirst(end - state.first).filter { images.contains($0.image) })
        }
    }
}
