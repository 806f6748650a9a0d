/// Waits until the task is cancelled.
func cancellation() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    // Ends with the task; no element is ever sent.
    for await _ in stream {}
    continuation.finish()
}
