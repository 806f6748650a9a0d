import Synchronization
import TaskCoordination

/// A request to cancel the running statement of a connection, sent over a separate connection.
///
/// The statement's result shows whether the request was in time. If a server accepts connections
/// but does not respond, libpq waits without a limit, so each request has its own thread.
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

    /// Whether the request is complete, so that it can no longer cancel a later statement.
    var isFinished: Bool { hasArrived.load(ordering: .acquiring) }

    /// Sends the request, and calls `completion` when the server has received it, or when it could
    /// not be sent.
    func send(then completion: @escaping @Sendable () -> Void) {
        _ = startThread { [self] in
            var reason = [CChar](repeating: 0, count: 256)
            _ = unsafe library.cancel(handle, &reason, Int32(reason.count))
            hasArrived.store(true, ordering: .releasing)
            completion()
        }
    }
}
