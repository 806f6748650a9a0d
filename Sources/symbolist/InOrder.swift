/// Works on several inputs at once.
enum InOrder {
    /// How many results may wait for one before them, for each input that is worked on.
    private static let waitingLimit = 4

    /// Calls `take` with the result of each input, in the order of the inputs.
    ///
    /// - Parameters:
    ///   - next: The next input, asked for when there is room for it; `nil` at the end.
    ///   - width: How many inputs are worked on at once. Few of them run far ahead of a slow one, so
    ///     that memory stays bounded.
    static func forEach<Input: Sendable, Result: Sendable>(
        _ next: () -> Input?, width: Int, _ work: @escaping @Sendable (Input) async -> Result,
        take: (Result) async -> Void
    ) async {
        await withTaskGroup(of: (place: Int, result: Result).self) { group in
            var (started, taken) = (0, 0)
            var waiting: [Int: Result] = [:]
            while true {
                while started - taken - waiting.count < width,
                    started - taken < width * waitingLimit, let input = next()
                {
                    let place = started
                    group.addTask { (place, await work(input)) }
                    started += 1
                }
                guard let done = await group.next() else { return }
                waiting[done.place] = done.result
                while let result = waiting.removeValue(forKey: taken) {
                    await take(result)
                    taken += 1
                }
            }
        }
    }
}
