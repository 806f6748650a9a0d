/// Processes several inputs at once and delivers the results in order.
enum OrderedConcurrency {
    /// The maximum number of finished results that wait for an earlier one, per input being
    /// processed.
    private static let waitingLimit = 4

    /// Calls `take` with the result of each input, in the order of the inputs.
    ///
    /// - Parameters:
    ///   - next: Returns the next input when it can be started, or `nil` at the end.
    ///   - width: The number of inputs processed at once. Results that wait for a slow input are
    ///     limited, so memory stays bounded.
    static func forEach<Input: Sendable, Result: Sendable>(
        _ next: () -> Input?, width: Int, _ work: @escaping @Sendable (Input) async -> Result,
        take: (Result) async -> Void
    ) async {
        await withTaskGroup(of: (index: Int, result: Result).self) { group in
            var (started, taken) = (0, 0)
            var waiting: [Int: Result] = [:]
            while true {
                while started - taken - waiting.count < width,
                    started - taken < width * waitingLimit, let input = next()
                {
                    let index = started
                    group.addTask { (index, await work(input)) }
                    started += 1
                }
                guard let done = await group.next() else { return }
                waiting[done.index] = done.result
                while let result = waiting.removeValue(forKey: taken) {
                    await take(result)
                    taken += 1
                }
            }
        }
    }
}
