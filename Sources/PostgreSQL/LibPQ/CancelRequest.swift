import Synchronization
import TaskCoordination

/// A request to end the running statement of a connection, sent over a connection of its own.
///
/// Whether it was in time shows in the statement's result. A server that accepts connections and
/// does not respond makes libpq wait without a limit, so each request has its own thread.
@safe
final class CancelRequest: @unchecked Sendable {
    private let library: LibPQ
    private let handle: OpaquePointer
    private let hasArrived = Atomic(false)

    /// - Parameter handle: A `PGcancel`, which this request frees.
    init(_ library: LibPQ, handle: OpaquePointer) {
        self.library = library
        unsafe self.handle = handle
    }

    deinit { unsafe library.freeCancel(handle) }

    /// Whether the server has the request, so that it cannot end a later statement.
    var isFinished: Bool { hasArrived.load(ordering: .acquiring) }

    /// Sends the request, and calls `completion` when the server has it, or it could not be sent.
    func send(then completion: @escaping @Sendable () -> Void) {
        _ = startThread { [self] in
            var reason = [CChar](repeating: 0, count: 256)
            _ = unsafe library.cancel(handle, &reason, Int32(reason.count))
            hasArrived.store(true, ordering: .releasing)
            completion()
        }
    }
}
