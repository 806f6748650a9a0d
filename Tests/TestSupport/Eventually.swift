/// Returns whether a condition becomes true within some time.
///
/// Tests fail by the time and never pass by it, so it is generous.
public func eventually(
    within limit: Duration = .seconds(90), _ condition: () async -> Bool
) async -> Bool {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: limit)
    while clock.now < end {
        if await condition() { return true }
        do { try await Task.sleep(for: .milliseconds(20)) } catch { return false }
    }
    return await condition()
}
