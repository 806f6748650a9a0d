/// Returns whether a condition becomes true within some time.
///
/// The time limit is generous, because reaching it only makes a test fail.
public func eventually(
    within limit: Duration = .seconds(90), _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: limit)
    while clock.now < end {
        if try await condition() { return true }
        do { try await Task.sleep(for: .milliseconds(20)) } catch { return false }
    }
    return try await condition()
}
