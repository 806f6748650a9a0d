import Glibc

/// Runs `body` on a new thread.
///
/// - Returns: 0, or the `errno` if the thread could not be created; `body` does not run in that
///   case.
public func startThread(_ body: @escaping @Sendable () -> Void) -> Int32 {
    let work = unsafe Unmanaged.passRetained(ThreadWork(body)).toOpaque()
    var thread = pthread_t()
    let error = unsafe pthread_create(
        &thread, nil,
        { work in
            if let work = unsafe work {
                unsafe Unmanaged<ThreadWork>.fromOpaque(work).takeRetainedValue().body()
            }
            return nil
        }, work)
    if error == 0 {
        pthread_detach(thread)
    } else {
        unsafe Unmanaged<ThreadWork>.fromOpaque(work).release()
    }
    return error
}

private final class ThreadWork: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
