import SymbolIntake
import Synchronization

/// A log of the images whose debug files arrived most recently, in order.
///
/// A debug file may arrive after the worker found its image missing, but before the worker stored
/// that a diagnostic waits for it. In this case its arrival wakes no diagnostic. So the worker
/// records the end of this log before a run, and checks afterwards which images of the run have
/// arrived since.
final class SymbolArrivalLog: Sendable {
    private struct State {
        var images: [UpdatedImage] = []
        /// The number of the first of `images`.
        var first = 0
    }

    private let state = Mutex(State())
    private let limit: Int

    /// - Parameter limit: The minimum number of images kept. Older ones are dropped.
    init(limit: Int = 10_000) { self.limit = limit }

    /// The number of the next arrival.
    var end: Int { state.withLock { $0.first + $0.images.count } }

    func note(_ images: [UpdatedImage]) {
        state.withLock { state in
            state.images += images
            // Drops half at a time, so that not every arrival has to move all others.
            guard state.images.count > 2 * limit else { return }
            let excess = state.images.count - limit
            state.images.removeFirst(excess)
            state.first += excess
        }
    }

    /// Returns the wanted images that arrived at or after the number `end`, for any owner, or all
    /// of them if the log no longer reaches back that far.
    func arrived(of wanted: [WantedImage], since end: Int) -> Set<UpdatedImage> {
        let images = Set(wanted.map(\.image))
        return state.withLock { state in
            guard end >= state.first else {
                return Set(images.map { UpdatedImage($0, of: .everyone) })
            }
            return Set(
                state.images.dropFirst(end - state.first).filter { images.contains($0.image) })
        }
    }
}
