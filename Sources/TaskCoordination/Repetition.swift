/// Runs `body` again and again, with a pause after each run, until the task is cancelled. A
/// cancellation ends a pause at once, and is left to a run that is under way.
public func repeatUntilCancelled(pausing pause: Duration, _ body: () async -> Void) async {
    while !Task.isCancelled {
        await body()
        try? await Task.sleep(for: pause)
    }
}
