/// Tells one waiting loop that there is something to do. Calls that come while it is busy count as
/// one.
public struct Wakeup: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    public init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    public func signal() { continuation.yield() }

    /// Returns when ``signal()`` was called since the last return, when `duration` has passed, or
    /// when the task is cancelled.
    public func wait(atMost duration: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in stream { return } }
            group.addTask { try? await Task.sleep(for: duration) }
            await group.next()
            group.cancelAll()
        }
    }
}
