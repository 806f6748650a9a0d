import CallStacks
import Ingest
import Synchronization

/// The slowest reader of a lane, cached until it moves.
///
/// Only the owner of the lane moves its readers. Other nodes can remove a reader from all lanes, so
/// the cached reader is used for only a few seconds.
final class SlowestReader: Sendable {
    private struct Known {
        let name: String
        let position: LanePosition
        let oldest: UnixTime?
        let readers: Int
        let moment = ContinuousClock.now
    }

    private struct State {
        var known: Known?
        /// The number of changes that may have made another reader the slowest.
        var moves = 0
    }

    private let state = Mutex(State())

    private static let lifetime = Duration.seconds(5)

    var moves: Int { state.withLock(\.moves) }

    /// Returns the backlog, or `nil` if it is not known.
    ///
    /// - Parameters:
    ///   - last: The position of the lane's last entry.
    ///   - readers: The number of readers that this process has removed.
    func backlog(to last: LanePosition?, readers: Int) -> Backlog? {
        guard let last, let known = state.withLock(\.known), known.readers == readers,
            ContinuousClock.now - known.moment < Self.lifetime
        else { return nil }
        guard last.number > known.position.number else { return Backlog() }
        guard let oldest = known.oldest else { return nil }
        return Backlog(
            bytes: last.total - known.position.total, count: last.number - known.position.number,
            oldest: oldest, reader: known.name)
    }

    /// Caches a reader, unless a reader has moved since it was read.
    func record(
        _ name: String, _ backlog: Backlog, at position: LanePosition, afterMoves moves: Int,
        readers: Int
    ) {
        state.withLock { state in
            guard state.moves == moves else { return }
            state.known = Known(
                name: name, position: position, oldest: backlog.oldest, readers: readers)
        }
    }

    /// Records that a reader has moved.
    func moved(_ reader: String) {
        state.withLock { state in
            state.moves += 1
            if state.known?.name == reader { state.known = nil }
        }
    }

    /// Records that readers were added, renamed or removed.
    func forget() {
        state.withLock { state in
            state.moves += 1
            state.known = nil
        }
    }
}
